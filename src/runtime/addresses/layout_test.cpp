// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/addresses/layout.hpp"

#include <gtest/gtest.h>

#include <set>

namespace weft {
namespace {

Layout layout_of(unsigned nodes, unsigned threads) {
  return Layout({}, {.node_count = nodes,
                     .threads_per_node = threads,
                     .heap_bytes = std::size_t{1} << 30,
                     .maps_bytes = std::size_t{1} << 30,
                     .stack_bytes = std::size_t{8} << 20,
                     .thread_locals = {{.below_top = 2 * kPageBytes, .bytes = kPageBytes}}});
}

class Layouts : public testing::TestWithParam<std::pair<unsigned, unsigned>> {};

TEST_P(Layouts, EachPlaceIsFoundByItsAddresses) {
  const Layout layout = layout_of(GetParam().first, GetParam().second);
  std::set<const std::byte*> begins;
  unsigned stage_before = 0;
  for (unsigned thread = 0; thread < layout.places_per_node(); ++thread) {
    EXPECT_GE(layout.stage_of_place(thread), stage_before);
    stage_before = layout.stage_of_place(thread);
    for (unsigned number = 0; number < GetParam().first; ++number) {
      const NodeId node(static_cast<std::uint16_t>(number));
      const Layout::Place place = layout.place(node, thread);
      EXPECT_TRUE(begins.insert(place.begin).second);
      for (const std::byte* address : {place.begin, place.top - 1}) {
        const auto found = layout.place_of(address);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->node, node);
        EXPECT_EQ(found->thread, thread);
      }
    }
  }
  EXPECT_EQ(layout.stage_of_place(GetParam().second), 0U);
  EXPECT_EQ(stage_before, 2U);
}

// In the order of the segments: the pages of a stage's blocks follow each other.
TEST_P(Layouts, SegmentsHaveTheBlocksOfTheirStagesPlaces) {
  const Layout layout = layout_of(GetParam().first, GetParam().second);
  for (const SegmentSpec& segment : layout.segments()) {
    if (segment.piece_bytes == 0) continue;
    for (std::uint64_t piece = 0; piece < segment.bytes / segment.piece_bytes; ++piece) {
      const std::uintptr_t address = segment.address.value() + piece * segment.stride_bytes;
      const auto place = layout.place_of(reinterpret_cast<const void*>(address));
      ASSERT_TRUE(place);
      EXPECT_EQ(layout.stage_of_place(place->thread), segment.stage);
      const std::byte* const top = layout.place(place->node, place->thread).top;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(top) - address, 2 * kPageBytes);
    }
  }
}

TEST_P(Layouts, StacksAreApart) {
  const auto [nodes, threads] = GetParam();
  const Layout layout = layout_of(nodes, threads);
  std::set<const std::byte*> tops;
  for (unsigned number = 0; number < nodes; ++number) {
    const NodeId node(static_cast<std::uint16_t>(number));
    for (unsigned thread = 0; thread < layout.slots_per_node(); ++thread) {
      EXPECT_TRUE(tops.insert(layout.stack(node, thread).top).second);
    }
    for (unsigned thread = 0; thread < layout.own_slots_per_node(); ++thread) {
      const Layout::Stack stack = layout.own_stack(node, thread);
      EXPECT_TRUE(tops.insert(stack.top).second);
      EXPECT_TRUE(layout.is_guard(stack.bottom - 1));
      EXPECT_FALSE(layout.is_guard(stack.bottom));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, Layouts,
                         testing::Values(std::pair{1U, 1U}, std::pair{2U, 1U}, std::pair{4U, 2U},
                                         std::pair{3U, 200U}, std::pair{64U, 16U}));

}  // namespace
}  // namespace weft
