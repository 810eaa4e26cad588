// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/accesses/said_accesses.hpp"

#include <gmock/gmock.h>

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

}  // namespace
}  // namespace weft
