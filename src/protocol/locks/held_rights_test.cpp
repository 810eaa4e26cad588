// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/locks/held_rights.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace weft {
namespace {

constexpr LockId kLock(8);
constexpr LockId kOther(16);

AddingTarget sum(std::uint64_t bytes, std::uint8_t size = 8) {
  return {GlobalOffset(bytes), size, AtomicOperation::kFloatAdd, AtomicType::kDouble};
}

AtomicRequest update(std::uint64_t bytes, AtomicOperation operation = AtomicOperation::kFloatAdd,
                     AtomicType type = AtomicType::kDouble, std::uint8_t size = 8) {
  AtomicRequest request;
  request.where = GlobalOffset(bytes);
  request.size = size;
  request.operation = operation;
  request.type = type;
  return request;
}

TEST(HeldRights, CoverTheSumsThatTheyBeganWith) {
  HeldRights rights;
  const std::uint64_t number = rights.begin(kLock, {sum(96), sum(1ULL << 46)});
  const HeldRights::Right* const right = rights.find(number);
  ASSERT_NE(right, nullptr);
  EXPECT_TRUE(right->covers(update(96)));
  EXPECT_TRUE(right->covers(update(1ULL << 46)));
  EXPECT_TRUE(right->covers(update(96, AtomicOperation::kFloatSubtract)));
  EXPECT_FALSE(right->covers(update(104)));
  EXPECT_FALSE(right->covers(update(96, AtomicOperation::kFloatMax)));
  EXPECT_FALSE(right->covers(update(96, AtomicOperation::kFloatAdd, AtomicType::kFloat)));
  EXPECT_FALSE(right->covers(update(96, AtomicOperation::kFloatAdd, AtomicType::kDouble, 4)));
}

TEST(HeldRights, OverlapWithEachByteOfTheirSums) {
  HeldRights rights;
  const HeldRights::Right& right = *rights.find(rights.begin(kLock, {sum(96), sum(1000, 4)}));
  for (const std::uint64_t byte : {96, 103, 1000, 1003}) {
    EXPECT_TRUE(right.overlaps({GlobalOffset(byte), 1})) << byte;
  }
  for (const std::uint64_t byte : {95, 104, 999, 1004}) {
    EXPECT_FALSE(right.overlaps({GlobalOffset(byte), 1})) << byte;
  }
  EXPECT_TRUE(right.overlaps({GlobalOffset(90), 16}));
}

TEST(HeldRights, AreFoundByTheirNumberUntilTheyEnd) {
  HeldRights rights;
  const std::uint64_t first = rights.begin(kLock, {sum(96)});
  const std::uint64_t other = rights.begin(kLock, {sum(104)});
  EXPECT_EQ(rights.find(0), nullptr);
  EXPECT_TRUE(rights.find(first)->use());
  EXPECT_FALSE(rights.find(first)->use());
  EXPECT_EQ(rights.end(first), 2U);
  EXPECT_EQ(rights.find(first), nullptr);
  const std::uint64_t second = rights.begin(kLock, {sum(112)});
  EXPECT_EQ(rights.find(first), nullptr);
  EXPECT_TRUE(rights.find(second)->covers(update(112)));
  EXPECT_FALSE(rights.find(second)->covers(update(96)));
  EXPECT_TRUE(rights.find(other)->covers(update(104)));
  EXPECT_EQ((std::set{0UL, first, second, other}).size(), 4U);
}

TEST(HeldRights, HaveRoomForAsManySumsAsALockHas) {
  HeldRights rights;
  AddingTargets targets;
  for (std::uint64_t at = 0; at < kMostAddingTargets; ++at) targets.push_back(sum(at * 8));
  const HeldRights::Right& right = *rights.find(rights.begin(kLock, targets));
  for (const AddingTarget& target : targets) {
    EXPECT_TRUE(right.covers(update(target.where.bytes())));
    EXPECT_TRUE(right.overlaps({target.where, 8}));
  }
  EXPECT_FALSE(right.covers(update(kMostAddingTargets * 8)));
  EXPECT_FALSE(right.overlaps({GlobalOffset(kMostAddingTargets * 8), 8}));
}

TEST(HeldRights, AreFoundAmongMany) {
  HeldRights rights;
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t at = 0; at < 300; ++at) {
    numbers.push_back(rights.begin(kLock, {sum(at * 8)}));
    if (at % 3 == 1) rights.end(std::exchange(numbers[at - 1], 0));
  }
  for (std::uint64_t at = 0; at < numbers.size(); ++at) {
    if (numbers[at] == 0) continue;
    const HeldRights::Right* const right = rights.find(numbers[at]);
    ASSERT_NE(right, nullptr);
    EXPECT_TRUE(right->covers(update(at * 8)));
  }
}

TEST(HeldRights, ThatAreNotUsedAreFoundByALook) {
  HeldRights rights;
  const std::uint64_t used = rights.begin(kLock, {sum(96)});
  const std::uint64_t idle = rights.begin(kOther, {sum(104)});
  EXPECT_TRUE(rights.look().empty());  // both are new
  for (std::uint32_t looks = 1; looks <= 3; ++looks) {
    (void)rights.find(used)->use();
    const std::vector<HeldRights::Idle> found = rights.look();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].lock, kOther);
    EXPECT_EQ(found[0].looks, looks);
  }
  (void)rights.find(idle)->use();
  EXPECT_EQ(rights.look().size(), 1U);
  EXPECT_EQ(rights.look().size(), 2U);
  rights.end(used);
  rights.end(idle);
  EXPECT_TRUE(rights.look().empty());
}

}  // namespace
}  // namespace weft
