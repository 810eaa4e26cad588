// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/operations/unanswered_stores.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr NodeId kHome(1), kOther(2);

AtomicRequest store_at(std::uint64_t where) {
  AtomicRequest store;
  store.where = GlobalOffset(where);
  store.size = 4;
  store.operation = AtomicOperation::kStore;
  return store;
}

TEST(UnansweredStores, AreConfirmedByALoadOfTheLastOne) {
  UnansweredStores stores;
  EXPECT_FALSE(stores.beside(kOther));
  stores.note(kHome, store_at(8), UpdateSequence(3));
  stores.note(kHome, store_at(16), UpdateSequence(5));
  EXPECT_FALSE(stores.beside(kHome));
  const auto first = stores.beside(kOther);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->home, kHome);
  EXPECT_EQ(first->load.where, GlobalOffset(16));
  EXPECT_EQ(first->load.operation, AtomicOperation::kLoad);
}

TEST(UnansweredStores, AreAnsweredByWhatWasAskedBehindThem) {
  UnansweredStores stores;
  stores.note(kHome, store_at(8), UpdateSequence(3));
  stores.note_answered(kHome, UpdateSequence(2));
  EXPECT_TRUE(stores.beside(kOther));
  stores.note_answered(kOther, UpdateSequence(9));
  EXPECT_TRUE(stores.beside(kOther));
  stores.note_answered(kHome, UpdateSequence(3));
  EXPECT_FALSE(stores.beside(kOther));
}

TEST(UnansweredStores, AreLimited) {
  UnansweredStores stores;
  for (std::uint32_t count = 0; count < UnansweredStores::kMost; ++count) {
    EXPECT_TRUE(stores.has_room(kHome));
    stores.note(kHome, store_at(8), UpdateSequence(count + 1));
  }
  EXPECT_FALSE(stores.has_room(kHome));
  EXPECT_TRUE(stores.has_room(kOther));
  stores.forget(kHome);
  EXPECT_TRUE(stores.has_room(kHome));
}

}  // namespace
}  // namespace weft
