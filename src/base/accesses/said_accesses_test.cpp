// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/accesses/said_accesses.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

namespace weft {
namespace {

using testing::ElementsAre;

// As the compiler lays it out.
struct Uses {
  std::uint32_t access_count = 0, constant_count = 2;
  std::uint64_t constants[2] = {8, 64};
  std::uint8_t codes[16] = {};

  [[nodiscard]] const weft_uses& get() const { return reinterpret_cast<const weft_uses&>(*this); }
};

struct Said {
  std::vector<std::uint64_t> numbers;
  std::uint32_t use;
};

std::vector<Said> said_by(const Uses& uses, const std::vector<std::uint64_t>& values,
                          std::set<std::uintptr_t>* places = nullptr) {
  std::vector<Said> all;
  for_each_access(uses.get(), values.data(), [&](std::uintptr_t place, const SaidAccess& access) {
    if (places != nullptr) places->insert(place);
    Said& said = all.emplace_back(Said{{access.first, access.bytes}, access.use});
    for (const weft_stride& each : access.strides) {
      said.numbers.push_back(static_cast<std::uint64_t>(each.bytes));
      said.numbers.push_back(each.count);
    }
  });
  return all;
}

TEST(SaidAccesses, NumbersAreConstantsOrValues) {
  const Uses uses{.access_count = 1,
                  .codes = {WEFT_USE_STORES, 2, 0, WEFT_CONSTANT, 1, 2, WEFT_CONSTANT + 1, 0}};
  const std::vector<Said> all = said_by(uses, {1000, 17, 3});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_THAT(all[0].numbers, ElementsAre(1000, 8, 17, 3, 64, 1000));
  EXPECT_EQ(all[0].use, WEFT_USE_STORES);
}

TEST(SaidAccesses, EachHasItsStridesAndAPlaceOfItsOwn) {
  const Uses uses{.access_count = 3,
                  .codes = {WEFT_USE_LOADS, 0, 0, 1, WEFT_USE_STORES, 1, 1, 0, WEFT_CONSTANT, 2,
                            WEFT_USE_LOADS, 0, 2, WEFT_CONSTANT}};
  std::set<std::uintptr_t> places;
  const std::vector<Said> all = said_by(uses, {5, 6, 7}, &places);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_THAT(all[0].numbers, ElementsAre(5, 6));
  EXPECT_THAT(all[1].numbers, ElementsAre(6, 5, 8, 7));
  EXPECT_THAT(all[2].numbers, ElementsAre(7, 8));
  EXPECT_EQ(all[1].use, WEFT_USE_STORES);
  EXPECT_EQ(places.size(), 3U);
}

// One access without strides: its first number is this formula.
std::uint64_t number_of(const std::vector<std::uint8_t>& formula,
                        const std::vector<std::uint64_t>& values = {}) {
  Uses uses{.access_count = 1, .codes = {WEFT_USE_LOADS, 0}};
  EXPECT_LE(formula.size() + 4, std::size(uses.codes));
  std::ranges::copy(formula, uses.codes + 2);
  uses.codes[2 + formula.size()] = WEFT_CONSTANT;
  const std::vector<Said> all = said_by(uses, values);
  EXPECT_EQ(all.at(0).numbers.at(1), 8U) << "the formula has another end";
  return all.at(0).numbers.at(0);
}

constexpr auto kMinusTwo = static_cast<std::uint8_t>(-2);

TEST(SaidAccesses, FormulasAreComputed) {
  EXPECT_EQ(number_of({WEFT_ADD, 0, 1}, {5, 7}), 12U);
  EXPECT_EQ(number_of({WEFT_SUBTRACT, 0, 1}, {5, 7}), std::uint64_t{0} - 2);
  EXPECT_EQ(number_of({WEFT_MULTIPLY, 0, WEFT_CONSTANT + 1}, {5}), 320U);
  EXPECT_EQ(number_of({WEFT_DIVIDE, 1, 0}, {5, 17}), 3U);
  EXPECT_EQ(number_of({WEFT_DIVIDE, 1, 0}, {0, 17}), 0U);
  EXPECT_EQ(number_of({WEFT_EIGHTFOLD, WEFT_SMALL, 3}), 24U);
  EXPECT_EQ(number_of({WEFT_ADD_SMALL, kMinusTwo, 0}, {5}), 3U);
}

TEST(SaidAccesses, NumbersAreComparedWithTheirSigns) {
  EXPECT_EQ(number_of({WEFT_SMALLER, 0, WEFT_SMALL, kMinusTwo}, {5}), std::uint64_t{0} - 2);
  EXPECT_EQ(number_of({WEFT_GREATER, 0, WEFT_SMALL, kMinusTwo}, {5}), 5U);
}

TEST(SaidAccesses, VariablesAreLoaded) {
  const std::int64_t wide[] = {1, -9};
  const std::int32_t narrow[] = {1, 2, -3};
  const auto at = [](const auto* variable) { return reinterpret_cast<std::uintptr_t>(variable); };
  EXPECT_EQ(number_of({WEFT_LOAD, 1, 0}, {at(wide)}), std::uint64_t{0} - 9);
  EXPECT_EQ(number_of({WEFT_LOAD_INT, 2, 0}, {at(narrow)}), std::uint64_t{0} - 3);
}

// The outer one is kept first. Both are used once more.
TEST(SaidAccesses, NumbersAreKept) {
  const Uses uses{.access_count = 1,
                  .codes = {WEFT_USE_LOADS, 1, WEFT_KEEP, WEFT_ADD, 0, WEFT_KEEP, WEFT_EIGHTFOLD, 0,
                            WEFT_CONSTANT, WEFT_KEPT, 0, WEFT_KEPT, 1}};
  EXPECT_THAT(said_by(uses, {5}).at(0).numbers, ElementsAre(45, 8, 45, 40));
}

}  // namespace
}  // namespace weft
