// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/updates/merged_atomics.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace weft {
namespace {

constexpr NodeId kHome(3);

template <typename T>
AtomicRequest update(AtomicOperation operation, std::uint64_t where, T operand,
                     AtomicType type = AtomicType::kInteger) {
  AtomicRequest request;
  request.where = GlobalOffset(where);
  request.size = sizeof operand;
  request.operation = operation;
  request.type = type;
  std::memcpy(request.operand, &operand, sizeof operand);
  return request;
}

template <typename T>
T operand(const AtomicRequest& request) {
  T value;
  std::memcpy(&value, request.operand, sizeof value);
  return value;
}

// What two updates of one object become; they must become one.
template <typename T>
T both(AtomicOperation operation, T earlier, T later) {
  MergedAtomics merged;
  EXPECT_TRUE(merged.add(kHome, update(operation, 64, earlier)));
  EXPECT_FALSE(merged.add(kHome, update(operation, 64, later)));
  const std::vector<AtomicRequest> taken = merged.take(kHome);
  EXPECT_EQ(taken.size(), 1U);
  EXPECT_TRUE(merged.empty());
  return operand<T>(taken[0]);
}

TEST(MergedAtomics, UpdatesOfOneObjectAreOne) {
  using enum AtomicOperation;
  EXPECT_EQ(both<std::int32_t>(kAdd, 5, -7), -2);
  EXPECT_EQ(both<std::uint8_t>(kAdd, 200, 100), 44);
  EXPECT_EQ(both<std::int64_t>(kSubtract, 5, 7), 12);
  EXPECT_EQ(both<std::uint16_t>(kAnd, 0xff0, 0x0ff), 0x0f0);
  EXPECT_EQ(both<std::uint16_t>(kOr, 0xf00, 0x00f), 0xf0f);
  EXPECT_EQ(both<std::uint16_t>(kXor, 0xff0, 0x0ff), 0xf0f);
  EXPECT_EQ(both<std::int8_t>(kMax, -3, -9), -3);
  EXPECT_EQ(both<std::int8_t>(kMin, -3, 4), -3);
  EXPECT_EQ(both<std::uint32_t>(kUnsignedMax, 0xfffffff0, 3), 0xfffffff0U);
  EXPECT_EQ(both<std::uint32_t>(kUnsignedMin, 0xfffffff0, 3), 3U);
}

TEST(MergedAtomics, WhatCannotBeOneStaysInOrder) {
  MergedAtomics merged;
  using enum AtomicOperation;
  EXPECT_TRUE(merged.add(kHome, update<std::int32_t>(kAdd, 64, 1)));
  EXPECT_FALSE(merged.add(kHome, update<std::int32_t>(kMax, 64, 9)));
  EXPECT_FALSE(merged.add(kHome, update<std::int32_t>(kAdd, 64, 2)));
  EXPECT_FALSE(merged.add(kHome, update(kFloatAdd, 128, 0.1, AtomicType::kDouble)));
  EXPECT_FALSE(merged.add(kHome, update(kFloatAdd, 128, 0.2, AtomicType::kDouble)));
  EXPECT_EQ(merged.count(kHome), 5U);
  const std::vector<AtomicRequest> taken = merged.take(kHome);
  ASSERT_EQ(taken.size(), 5U);
  EXPECT_EQ(taken[0].operation, kAdd);
  EXPECT_EQ(taken[1].operation, kMax);
  EXPECT_EQ(operand<std::int32_t>(taken[2]), 2);
  EXPECT_EQ(operand<double>(taken[3]), 0.1);
  EXPECT_EQ(operand<double>(taken[4]), 0.2);
}

TEST(MergedAtomics, AreFoundByHomeAndPage) {
  MergedAtomics merged;
  for (const std::uint64_t where :
       {kPageBytes - 8, kPageBytes, 2 * kPageBytes - 8, 2 * kPageBytes}) {
    merged.add(kHome, update<std::uint64_t>(AtomicOperation::kOr, where, where));
  }
  merged.add(NodeId(5), update<std::uint64_t>(AtomicOperation::kOr, 8, 1));
  EXPECT_EQ(merged.homes(), (std::vector{kHome, NodeId(5)}));
  EXPECT_EQ(merged.of_page(kHome, PageIndex(1)).size(), 2U);
  EXPECT_EQ(merged.of_page(NodeId(5), PageIndex(1)).size(), 0U);
  EXPECT_EQ(merged.take_all().size(), 5U);
  EXPECT_TRUE(merged.empty());
}

TEST(MergedAtomics, OnlyWhatCommutesIsMerged) {
  using enum AtomicOperation;
  for (const AtomicOperation each :
       {kLoad, kStore, kExchange, kCompareExchange, kNand, kIncrementWrap}) {
    EXPECT_FALSE(MergedAtomics::commutes(each));
  }
  EXPECT_TRUE(MergedAtomics::commutes(kAdd));
  EXPECT_TRUE(MergedAtomics::commutes(kFloatSubtract));
}

}  // namespace
}  // namespace weft
