// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/accesses/indirect.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace weft {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

using Range = std::pair<std::uintptr_t, std::uintptr_t>;

// The process's own, of which some addresses cannot be read.
struct OwnMemory {
  std::uintptr_t hole = 0, hole_end = 0;
  [[nodiscard]] std::span<const std::byte> at(std::uintptr_t address) const {
    if (address >= hole && address < hole_end) return {};
    const std::uintptr_t end = address < hole ? hole : address + kPageBytes;
    return {reinterpret_cast<const std::byte*>(address), end - address};
  }
};

template <typename Value>
std::uintptr_t begin_of(const std::vector<Value>& values) {
  return reinterpret_cast<std::uintptr_t>(values.data());
}
template <typename Value>
std::uintptr_t end_of(const std::vector<Value>& values) {
  return begin_of(values) + sizeof(Value) * values.size();
}

template <typename Value>
std::vector<Range> follow(const std::vector<Value>& values, const weft_indirection& how,
                          std::size_t count, OwnMemory memory = {}) {
  std::vector<Range> found;
  Leads<OwnMemory>(how, memory)
      .follow(begin_of(values), begin_of(values) + sizeof(Value) * count,
              [&](std::uintptr_t first, std::uintptr_t end) {
                found.emplace_back(first, end);
                return true;
              });
  return found;
}

template <typename Value>
weft_indirection elements() {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(Value));
  return {.step = kSize,
          .loaded = std::is_signed_v<Value> ? -kSize : kSize,
          .base = 1000,
          .scale = 8,
          .bytes = 8,
          .counted = 0,
          .rate = 0,
          .upper = 0,
          .lower = 0};
}

template <typename Value>
class IndicesOf : public testing::Test {};
using AllTypes = testing::Types<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t,
                                std::uint32_t, std::int32_t, std::uint64_t, std::int64_t>;
TYPED_TEST_SUITE(IndicesOf, AllTypes);

TYPED_TEST(IndicesOf, LeadToElements) {
  const std::vector<TypeParam> indices = {3, 0, 100};
  EXPECT_THAT(follow(indices, elements<TypeParam>(), 3),
              ElementsAre(Pair(1024, 1032), Pair(1000, 1008), Pair(1800, 1808)));
}

TYPED_TEST(IndicesOf, AreSignedOrNot) {
  const std::vector<TypeParam> indices = {static_cast<TypeParam>(-1)};
  weft_indirection how = elements<TypeParam>();
  how.scale = 1;
  const auto value = static_cast<std::uint64_t>(indices[0]);
  const auto found = follow(indices, how, 1);
  if (how.loaded == 8) return;  // it wraps around, as an address does
  EXPECT_THAT(found, ElementsAre(Pair(1000 + value, 1008 + value)));
}

// first[i] to first[i + 1].
TEST(Rows, EndWhereTheNextOneBegins) {
  const std::vector<std::int32_t> first = {0, 4, 4, 10};
  weft_indirection how = elements<std::int32_t>();
  how.bytes = 0;
  how.counted = -4;
  how.rate = 64;
  how.upper = 4;
  EXPECT_THAT(follow(first, how, 3), ElementsAre(Pair(1000, 1032), Pair(1032, 1080)))
      << "an empty row leads nowhere";
}

TEST(Rows, HaveALengthBeside) {
  struct Row {
    std::uint64_t first;
    std::int32_t length, other;
  };
  const std::vector<Row> rows = {{5000, 2, 7}, {9000, -1, 7}, {7000, 3, 7}};
  const weft_indirection how = {.step = sizeof(Row),
                                .loaded = 8,
                                .base = 0,
                                .scale = 1,
                                .bytes = 0,
                                .counted = -4,
                                .rate = 128,
                                .upper = 8,
                                .lower = WEFT_NO_LOWER};
  EXPECT_THAT(follow(rows, how, 3), ElementsAre(Pair(5000, 5032), Pair(7000, 7048)));
}

// Elements of 4 bytes, as many as others have 8 bytes each.
TEST(Rows, MayBeCountedByLongerElements) {
  const std::vector<std::uint64_t> rows = {5000, 70000, 70064};
  const weft_indirection how = {.step = 24,
                                .loaded = 8,
                                .base = 0,
                                .scale = 1,
                                .bytes = 0,
                                .counted = -8,
                                .rate = 4,
                                .upper = 16,
                                .lower = 8};
  EXPECT_THAT(follow(rows, how, 1), ElementsAre(Pair(5000, 5032)));
}

TEST(Values, ThatCannotBeReadLeadNowhere) {
  std::vector<std::int64_t> indices(2048);
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<std::int64_t>(i);
  OwnMemory memory;
  memory.hole = (begin_of(indices) / kPageBytes + 1) * kPageBytes;
  memory.hole_end = memory.hole + kPageBytes;
  const auto found = follow(indices, elements<std::int64_t>(), indices.size(), memory);
  const auto before = (memory.hole - begin_of(indices)) / 8, hidden = kPageBytes / 8;
  ASSERT_EQ(found.size(), indices.size() - hidden);
  EXPECT_EQ(found[before].first, 1000 + 8 * (before + hidden));
}

TEST(Values, EndBeforeAnIncompleteOne) {
  const std::vector<std::int32_t> indices = {1, 2};
  std::vector<Range> found;
  Leads<OwnMemory>(elements<std::int32_t>(), {})
      .follow(begin_of(indices), begin_of(indices) + 7, [&](auto first, auto end) {
        found.emplace_back(first, end);
        return true;
      });
  EXPECT_EQ(found.size(), 1U);
}

TEST(Values, AreNotFollowedFurtherThanWanted) {
  const std::vector<std::int32_t> indices(100);
  int seen = 0;
  Leads<OwnMemory>(elements<std::int32_t>(), {})
      .follow(begin_of(indices), end_of(indices), [&](auto, auto) { return ++seen < 5; });
  EXPECT_EQ(seen, 5);
}

TEST(Values, OfNoSenseLeadNowhere) {
  const std::vector<std::int64_t> indices = {INT64_MAX, INT64_MIN, -1};
  weft_indirection how = elements<std::int64_t>();
  how.scale = 0;
  how.bytes = INT64_MAX;
  EXPECT_THAT(follow(indices, how, 3), IsEmpty()) << "too long";
  how.bytes = 0;
  EXPECT_THAT(follow(indices, how, 3), IsEmpty()) << "empty";
  how = elements<std::int64_t>();
  how.step = 0;
  EXPECT_THAT(follow(indices, how, 3), IsEmpty()) << "goes nowhere";
  how = elements<std::int64_t>();
  how.loaded = 3;
  EXPECT_THAT(follow(indices, how, 3), IsEmpty()) << "no such type";
}

TEST(Stretches, JoinWhereTheyTouch) {
  const Strided::Dimension touching[] = {{8, 10}, {80, 3}, {1000, 2}};
  std::vector<Range> found;
  for_each_stretch(5000, 8, touching, [&](std::uintptr_t first, std::uintptr_t end) {
    found.emplace_back(first, end);
    return true;
  });
  EXPECT_THAT(found, ElementsAre(Pair(5000, 5240), Pair(6000, 6240)));
}

TEST(Stretches, EndWhenTheyAreToEnd) {
  const Strided::Dimension many[] = {{std::uint64_t{1} << 20, std::uint64_t{1} << 25}};
  int seen = 0;
  for_each_stretch(0, 8, many, [&](auto, auto) { return ++seen < 7; });
  EXPECT_EQ(seen, 7);
}

// Rows of column[], and where these lead.
TEST(Chains, LeadFromValueToValue) {
  const std::vector<std::int64_t> first = {0, 2, 3};
  const std::vector<std::int32_t> column = {7, 1, 4};
  weft_indirection rows = elements<std::int64_t>();
  rows.base = begin_of(column);
  rows.scale = 4;
  rows.rate = 32;
  rows.bytes = 0;
  rows.counted = -8;
  rows.upper = 8;
  const weft_indirection chain[] = {rows, elements<std::int32_t>()};
  std::vector<Range> found;
  auto note = [&](std::uintptr_t at, std::uintptr_t end) {
    found.emplace_back(at, end);
    return found.size() < 3;
  };
  EXPECT_FALSE(follow_all(begin_of(first), begin_of(first) + 16, chain, OwnMemory(), note));
  EXPECT_THAT(found, ElementsAre(Pair(1056, 1064), Pair(1008, 1016), Pair(1032, 1040)));
}

}  // namespace
}  // namespace weft
