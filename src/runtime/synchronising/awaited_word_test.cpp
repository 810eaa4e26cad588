// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/synchronising/awaited_word.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr GlobalOffset kWord(4096), kOther(4160);

bool load(AwaitedWord& awaited, GlobalOffset where, std::uint8_t value) {
  AtomicRequest request;
  request.where = where;
  request.size = 8;
  AtomicResult result;
  result.before[0] = std::byte{value};
  return awaited.note(request, result);
}

TEST(AwaitedWord, IsAwaitedUntilItChangesWhateverIsLoadedInBetween) {
  AwaitedWord awaited;
  awaited.note_waiting(kWord, 1'000);
  EXPECT_FALSE(load(awaited, kWord, 1)) << "what it was before is not known";
  EXPECT_FALSE(load(awaited, kOther, 7));
  awaited.note_waiting(kWord, 2'000);
  EXPECT_FALSE(load(awaited, kWord, 1));
  EXPECT_FALSE(load(awaited, kOther, 8));
  EXPECT_TRUE(load(awaited, kWord, 2));
  EXPECT_EQ(awaited.end(5'000), 4'000);
}

TEST(AwaitedWord, ThatChangesWhileNobodyWaitsTellsNothing) {
  AwaitedWord awaited;
  awaited.note_waiting(kWord, 1'000);
  EXPECT_FALSE(load(awaited, kWord, 1));
  EXPECT_TRUE(load(awaited, kWord, 2));
  EXPECT_EQ(awaited.end(2'000), 1'000);
  EXPECT_FALSE(load(awaited, kWord, 3));
}

TEST(AwaitedWord, IsOneAtATime) {
  AwaitedWord awaited;
  awaited.note_waiting(kWord, 1'000);
  EXPECT_FALSE(load(awaited, kWord, 1));
  awaited.note_waiting(kOther, 3'000);
  EXPECT_FALSE(load(awaited, kWord, 2));
  EXPECT_FALSE(load(awaited, kOther, 1));
  EXPECT_TRUE(load(awaited, kOther, 2));
  EXPECT_EQ(awaited.end(4'000), 1'000);
}

}  // namespace
}  // namespace weft
