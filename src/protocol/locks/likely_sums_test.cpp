// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/locks/likely_sums.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/locks/lock_ids.hpp"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kLocks = 0x100000;
constexpr std::uint64_t kSums = 0x5000;

LockId lock(std::uint64_t index, std::uint64_t stride = 8) {
  return LockId((kLocks + index * stride) << kLockKindBits |
                static_cast<std::uint64_t>(LockKind::kLock));
}

AddingTarget sum(std::uint64_t bytes) {
  return {GlobalOffset(bytes), 8, AtomicOperation::kFloatAdd, AtomicType::kFloat};
}

AddingTarget element(std::uint64_t index, std::uint64_t array = 0) {
  return sum(kSums + array * 0x10000 + index * 8);
}

TEST(LikelySums, AThirdPointProvesALine) {
  LikelySums sums;
  sums.note(lock(3), {element(3)});
  sums.note(lock(7), {element(7)});
  EXPECT_THAT(sums.of(lock(5)), IsEmpty());
  sums.note(lock(4), {element(4)});
  EXPECT_THAT(sums.of(lock(5)), ElementsAre(element(5)));
  EXPECT_THAT(sums.of(lock(9)), ElementsAre(element(9)));
}

TEST(LikelySums, ALineEndsNotFarBeyondTheLocksThatWereMet) {
  LikelySums sums;
  for (const std::uint64_t index : {100, 101, 104}) sums.note(lock(index), {element(index)});
  EXPECT_THAT(sums.of(lock(108)), ElementsAre(element(108)));
  EXPECT_THAT(sums.of(lock(109)), IsEmpty());
  EXPECT_THAT(sums.of(lock(96)), ElementsAre(element(96)));
  EXPECT_THAT(sums.of(lock(95)), IsEmpty());
  sums.note(lock(108), {element(108)});
  EXPECT_THAT(sums.of(lock(109)), ElementsAre(element(109)));
}

TEST(LikelySums, LocksLieBehindUpToTheLastThatWasMet) {
  LikelySums sums;
  sums.note(lock(2), {element(2)});
  sums.note(lock(10), {element(10)});
  EXPECT_THAT(sums.behind(lock(4), 2), IsEmpty());
  sums.note(lock(6), {element(6)});
  EXPECT_THAT(sums.behind(lock(2), 9), ElementsAre(lock(6), lock(10)));
  EXPECT_THAT(sums.behind(lock(2), 1), ElementsAre(lock(6)));
  EXPECT_THAT(sums.behind(lock(10), 9), IsEmpty());
  EXPECT_THAT(sums.behind(lock(1), 9), IsEmpty());
  sums.note(lock(7), {element(7)});
  EXPECT_THAT(sums.behind(lock(8), 9), ElementsAre(lock(9), lock(10)));
}

TEST(LikelySums, EachSumOfASectionHasItsLine) {
  LikelySums sums;
  for (const std::uint64_t index : {1, 2, 3}) {
    sums.note(lock(index), {element(index), element(index, 1)});
  }
  EXPECT_THAT(sums.of(lock(4)), ElementsAre(element(4, 1), element(4)));
}

TEST(LikelySums, ArraysOneAfterTheOther) {
  LikelySums sums;
  for (const std::uint64_t array : {0, 1, 2}) {
    for (const std::uint64_t index : {1, 5, 3}) sums.note(lock(index), {element(index, array)});
  }
  EXPECT_THAT(sums.of(lock(4)), ElementsAre(element(4, 2), element(4, 1), element(4)));
  sums.note(lock(2), {element(2)});
  EXPECT_THAT(sums.of(lock(4)), ElementsAre(element(4), element(4, 2), element(4, 1)));
}

TEST(LikelySums, LocksAndRecordsOfOtherSizes) {
  LikelySums sums;
  for (const std::uint64_t index : {9, 1, 2}) {
    sums.note(lock(index, 64), {sum(kSums + index * 24)});
  }
  EXPECT_THAT(sums.of(lock(4, 64)), ElementsAre(sum(kSums + 96)));
  EXPECT_THAT(sums.of(LockId(lock(4, 64).value() + (4 << kLockKindBits))), IsEmpty());
}

TEST(LikelySums, WordsThatFollowNoLine) {
  LikelySums sums;
  for (const std::uint64_t index : {1, 2, 4, 3, 7}) {
    sums.note(lock(index), {sum(kSums + index * index * 8)});
  }
  EXPECT_THAT(sums.of(lock(5)), IsEmpty());
}

TEST(LikelySums, OneLockWithManyWordsAndManyLocksWithOne) {
  LikelySums sums;
  for (const std::uint64_t index : {1, 2, 3}) sums.note(lock(1), {element(index)});
  EXPECT_THAT(sums.of(lock(2)), IsEmpty());
  for (const std::uint64_t index : {1, 2, 3}) sums.note(lock(index), {element(6)});
  EXPECT_THAT(sums.of(lock(4)), ElementsAre(element(6)));
}

TEST(LikelySums, OtherOperationsAreOtherLines) {
  LikelySums sums;
  sums.note(lock(1), {element(1)});
  sums.note(lock(2), {element(2)});
  AddingTarget other = element(3);
  other.operation = AtomicOperation::kAdd;
  other.type = AtomicType::kInteger;
  sums.note(lock(3), {other});
  EXPECT_THAT(sums.of(lock(4)), IsEmpty());
}

TEST(LikelySums, AGuessThatDoesNotCommuteIsNoTarget) {
  AddingTarget other = element(1);
  other.operation = AtomicOperation::kAdd;
  other.type = AtomicType::kInteger;
  AddingTargets known = {element(1)};
  add_likely(known, {other, element(1), element(2)});
  EXPECT_THAT(known, ElementsAre(element(1), element(2)));
}

}  // namespace
}  // namespace weft
