// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/addresses/layout.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace weft {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20, kGiB = kMiB << 10;

Layout layout_of(unsigned nodes, unsigned threads, std::size_t stack_bytes = 8 * kMiB) {
  return Layout({}, {.node_count = nodes,
                     .threads_per_node = threads,
                     .heap_bytes = std::size_t{1} << 30,
                     .maps_bytes = std::size_t{1} << 30,
                     .stack_bytes = stack_bytes,
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
  const bool has_unusual = layout.own_slots_per_node() > Layout::kUsualOwnThreads;
  EXPECT_EQ(stage_before, has_unusual ? 2U : 1U);
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

std::size_t bytes_of(const Layout::Stack& stack) {
  return static_cast<std::size_t>(stack.top - stack.bottom);
}

TEST(Layout, TeamsHaveLargeStacksAndOthers64MiB) {
  for (const auto& [nodes, wanted, given] :
       {std::tuple{2U, 8 * kMiB, 8 * kMiB}, std::tuple{2U, kGiB, kGiB},
        std::tuple{2U, SIZE_MAX / 2, 4 * kGiB - kMiB / 16},
        std::tuple{64U, kGiB, kGiB / 4 - kMiB / 16}}) {
    const Layout layout = layout_of(nodes, 1, wanted);
    const Layout::Stack first = layout.stack(NodeId(0), 0);
    EXPECT_EQ(bytes_of(first), given);
    EXPECT_EQ(layout.stack_above(first.bottom - 1), given);
    EXPECT_EQ(layout.stack_above(first.guard - 8 * kGiB), given);
    const Layout::Stack own = layout.own_stack(NodeId(0), 0);
    EXPECT_EQ(bytes_of(own), std::min(wanted, 64 * kMiB - kMiB / 16));
    EXPECT_EQ(layout.stack_above(own.bottom - 1), bytes_of(own));
    EXPECT_EQ(layout.stack_above(own.top), layout.stack_above(own.bottom - 1));  // the next one's
  }
}

// Each segment is behind the one before, and none is in another's place.
TEST(Layout, SegmentsAreApartHoweverLargeStacksAre) {
  for (const unsigned nodes : {1U, 2U, 64U}) {
    const Layout layout = layout_of(nodes, 1, SIZE_MAX / 2);
    std::uintptr_t end = 0;
    for (const SegmentSpec& segment : layout.segments()) {
      if (segment.piece_bytes > 0) continue;
      EXPECT_GE(segment.address.value(), end);
      end = segment.address.value() + segment.bytes;
    }
    EXPECT_LE(end, reinterpret_cast<std::uintptr_t>(layout.place(NodeId(0), 0).begin));
  }
}

INSTANTIATE_TEST_SUITE_P(Each, Layouts,
                         testing::Values(std::pair{1U, 1U}, std::pair{2U, 1U}, std::pair{4U, 2U},
                                         std::pair{3U, 200U}, std::pair{64U, 16U}));

}  // namespace
}  // namespace weft
