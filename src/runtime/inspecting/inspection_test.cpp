// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/inspecting/inspection.hpp"

#include <gmock/gmock.h>

#include "runtime/inspecting/found_pages.hpp"

namespace weft {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uintptr_t kIndices = 0x10000000, kRows = 0x20000000, kTarget = 0x40000000;
constexpr std::uint64_t kMany = 1000;

// Some pages at kIndices and at kRows, and shared memory from kTarget on.
class TestSurroundings final : public InspectorSurroundings {
 public:
  TestSurroundings() : indices(1 << 16), rows(1 << 12) {}

  IndexMemory bring(std::span<const AddressRange> pages) override {
    brought.emplace_back(pages.begin(), pages.end());
    std::vector<IndexMemory::Window> windows;
    for (const AddressRange& each : pages) {
      for (const auto& [first, all] :
           {std::pair(kIndices, bytes_of(indices)), std::pair(kRows, bytes_of(rows))}) {
        const std::uintptr_t from = std::max(first, each.first);
        const std::uintptr_t to = std::min(first + all.size(), each.end);
        if (from < to) windows.push_back({from, to, all.data() + (from - first)});
      }
    }
    return IndexMemory(std::move(windows));
  }
  [[nodiscard]] bool is_shared(std::uintptr_t first, std::uintptr_t end) const override {
    return (first >= kTarget && end <= kTarget + 100 * kPageBytes) ||
           (first >= kIndices && end <= kIndices + bytes_of(indices).size());
  }

  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> rows;
  std::vector<std::vector<AddressRange>> brought;

 private:
  template <typename Values>
  static std::span<const std::byte> bytes_of(const Values& values) {
    return std::as_bytes(std::span(values));
  }
};

constexpr weft_indirection kElements = {.step = 4,
                                        .loaded = -4,
                                        .base = kTarget,
                                        .scale = 8,
                                        .bytes = 8,
                                        .counted = 0,
                                        .rate = 0,
                                        .upper = 0,
                                        .lower = 0};

AddressRange pages(std::uint64_t first, std::uint64_t count) {
  return {kTarget + first * kPageBytes, kTarget + (first + count) * kPageBytes};
}

Inspected inspect_elements(TestSurroundings& surroundings, std::uint64_t count,
                           std::uint64_t most = kMany) {
  const weft_stride strides[] = {{4, count}};
  const weft_indirection how[] = {kElements};
  return inspect({kIndices, 4, strides, how}, most, surroundings);
}

TEST(Inspection, FindsPagesInAnyOrder) {
  TestSurroundings surroundings;
  surroundings.indices = {5000, 0, 1, 600, 5001, 0};
  const Inspected found = inspect_elements(surroundings, 6);
  EXPECT_THAT(found.pages, ElementsAre(pages(0, 2), pages(9, 1)));
  EXPECT_THAT(found.indices, ElementsAre(AddressRange{kIndices, kIndices + 24}));
  EXPECT_EQ(found.values, 6U);
  EXPECT_THAT(surroundings.brought,
              ElementsAre(ElementsAre(AddressRange{kIndices, kIndices + kPageBytes})));
}

TEST(Inspection, LeavesOutWhatIsNotShared) {
  TestSurroundings surroundings;
  surroundings.indices = {-1, 1 << 30, -(1 << 30), INT32_MAX, INT32_MIN, 512, 100 * 512};
  EXPECT_THAT(inspect_elements(surroundings, 7).pages, ElementsAre(pages(1, 1)));
}

TEST(Inspection, ReadsNothingThatIsNotAtHand) {
  TestSurroundings surroundings;
  surroundings.indices = {512};
  // The section goes on far beyond the memory.
  EXPECT_THAT(inspect_elements(surroundings, 1 << 20).pages, ElementsAre(pages(1, 1)));
}

TEST(Inspection, GoesDownwards) {
  TestSurroundings surroundings;
  surroundings.indices = {0, 512, 1024};
  const weft_stride strides[] = {{-4, 2}};
  const weft_indirection how[] = {kElements};
  EXPECT_THAT(inspect({kIndices + 8, 4, strides, how}, kMany, surroundings).pages,
              ElementsAre(pages(1, 2)));
}

TEST(Inspection, OfRowsBringsAllRowsAtOnce) {
  TestSurroundings surroundings;
  surroundings.rows = {0, 1000, 1000, 9000};  // of indices, which begin there
  for (std::size_t i = 0; i < 9000; ++i) surroundings.indices[i] = i < 4000 ? 0 : 3 * 512;
  const weft_indirection how[] = {{.step = 8,
                                   .loaded = 8,
                                   .base = kIndices,
                                   .scale = 4,
                                   .bytes = 0,
                                   .counted = -8,
                                   .rate = 32,
                                   .upper = 8,
                                   .lower = 0},
                                  kElements};
  const weft_stride strides[] = {{8, 3}};
  const Inspected found = inspect({kRows, 8, strides, how}, kMany, surroundings);
  EXPECT_THAT(found.pages, ElementsAre(pages(0, 1), pages(3, 1)));
  EXPECT_THAT(surroundings.brought,
              ElementsAre(ElementsAre(AddressRange{kRows, kRows + kPageBytes}),
                          ElementsAre(AddressRange{kIndices, kIndices + 9 * kPageBytes})));
  EXPECT_THAT(found.indices, ElementsAre(AddressRange{kIndices, kIndices + 36000},
                                         AddressRange{kRows, kRows + 4 * 8 + 8}));
  EXPECT_EQ(found.values, 9000U + 2U);
}

TEST(Inspection, OfNumbersWithoutSenseFindsNothing) {
  TestSurroundings surroundings;
  const weft_stride endless[] = {{INT64_MAX, UINT64_MAX}}, none[] = {{4, 0}};
  const weft_indirection how[] = {kElements};
  EXPECT_THAT(inspect({kIndices, 4, endless, how}, kMany, surroundings).pages, IsEmpty());
  EXPECT_THAT(inspect({kIndices, 4, none, how}, kMany, surroundings).pages, IsEmpty());
  EXPECT_THAT(inspect({kIndices, 4, {}, {}}, kMany, surroundings).pages, IsEmpty());
  const weft_stride far[] = {{1 << 20, std::uint64_t{1} << 25}};
  EXPECT_THAT(inspect({kIndices, 4, far, how}, kMany, surroundings).pages,
              ElementsAre(pages(0, 1)));
}

// Each value is one page more, in no order.
TEST(FoundPages, EndWhenThereAreTooMany) {
  constexpr std::uint64_t kPages = 200'000, kMost = 1000;
  FoundPages found(kMost, [](auto, auto) { return true; });
  std::uint64_t added = 0;
  while (added < kPages) {
    const std::uintptr_t page = kTarget + (added * 7919) % kPages * 2 * kPageBytes;
    if (!found.add(page, page + 8)) break;
    ++added;
  }
  EXPECT_LT(added, kPages);
  EXPECT_GE(std::move(found).take().size(), kMost);
}

TEST(FoundPages, OfOneElementMayBeTwo) {
  FoundPages found(kMany, [](auto, auto) { return true; });
  EXPECT_TRUE(found.add(kTarget + 8, kTarget + 16));
  EXPECT_TRUE(found.add(kTarget + kPageBytes - 4, kTarget + kPageBytes + 4));
  EXPECT_THAT(std::move(found).take(), ElementsAre(pages(0, 2)));
}

TEST(FoundPages, OfNoAddressAreLeftOut) {
  EXPECT_THAT(pages_of({{UINTPTR_MAX - 8, UINTPTR_MAX}, {kTarget, kTarget}}), IsEmpty());
}

}  // namespace
}  // namespace weft
