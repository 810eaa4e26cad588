// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/synchronising/last_load.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

AtomicRequest load_at(std::uint64_t where) {
  AtomicRequest request;
  request.size = 4;
  request.where = GlobalOffset(where);
  return request;
}

AtomicResult found(std::uint8_t value) {
  AtomicResult result;
  result.before[0] = std::byte{value};
  return result;
}

TEST(LastLoad, LetsTheSameLoadTakeLong) {
  LastLoad last;
  AtomicRequest load = load_at(64);
  EXPECT_EQ(last.patience_ns(load), 0);
  last.note(load, found(7));
  EXPECT_EQ(last.patience_ns(load), LastLoad::kShortest);
  EXPECT_EQ(load.operand[0], std::byte{7});
}

TEST(LastLoad, HasMorePatienceTheLongerNothingChanges) {
  LastLoad last;
  AtomicRequest load = load_at(64);
  last.note(load, found(7));
  last.note(load, found(7));
  EXPECT_EQ(last.patience_ns(load), 2 * LastLoad::kShortest);
  for (int i = 0; i < 100; ++i) last.note(load, found(7));
  EXPECT_EQ(last.patience_ns(load), LastLoad::kLongest);
  last.note(load, found(8));
  EXPECT_EQ(last.patience_ns(load), LastLoad::kShortest);
}

TEST(LastLoad, KnowsNothingOfOtherPlaces) {
  LastLoad last;
  AtomicRequest load = load_at(64);
  last.note(load, found(7));
  AtomicRequest other = load_at(68);
  EXPECT_EQ(last.patience_ns(other), 0);
  last.note(other, found(7));
  EXPECT_EQ(last.patience_ns(load), 0);
}

TEST(LastLoad, ForgetsItWhenTheThreadStores) {
  LastLoad last;
  AtomicRequest load = load_at(64);
  last.note(load, found(7));
  AtomicRequest store = load;
  store.operation = AtomicOperation::kStore;
  last.note(store, found(7));
  EXPECT_EQ(last.patience_ns(load), 0);
}

}  // namespace
}  // namespace weft
