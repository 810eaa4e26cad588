// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/explore/arena.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace weft::sim::explore {
namespace {

struct Two {
  std::unique_ptr<std::vector<std::uint64_t>> first, second;
};

std::unique_ptr<std::vector<std::uint64_t>> numbers(std::uint64_t value) {
  return std::make_unique<std::vector<std::uint64_t>>(3, value);
}

// The same two vectors, allocated in either order.
std::uint64_t fingerprint_of_two(bool second_first, std::uint64_t value) {
  Arena::reset();
  auto* const two = [&] {
    const Arena::Use inside;
    auto* const made = new Two;
    if (second_first) made->second = numbers(value);
    made->first = numbers(7);
    if (!second_first) made->second = numbers(value);
    return made;
  }();
  return Arena::fingerprint(two);
}

TEST(Arena, FingerprintDoesNotDependOnWhereThingsAre) {
  EXPECT_EQ(fingerprint_of_two(false, 8), fingerprint_of_two(true, 8));
  EXPECT_NE(fingerprint_of_two(false, 8), fingerprint_of_two(false, 9));
}

TEST(Arena, FingerprintTellsWhoPointsToWhat) {
  Arena::reset();
  auto* const two = [] {
    const Arena::Use inside;
    return new Two{numbers(7), numbers(8)};
  }();
  const std::uint64_t before = Arena::fingerprint(two);
  std::swap(two->first, two->second);
  EXPECT_NE(Arena::fingerprint(two), before);
  std::swap(two->first, two->second);
  EXPECT_EQ(Arena::fingerprint(two), before);
}

TEST(Arena, RestoresWhatWasFreedAndForgetsWhatCameSince) {
  Arena::reset();
  auto* const two = [] {
    const Arena::Use inside;
    return new Two{numbers(7), numbers(8)};
  }();
  const Arena::Snapshot snapshot = Arena::save();
  const std::uint64_t before = Arena::fingerprint(two);
  const std::size_t used = Arena::bytes_used();
  {
    const Arena::Use inside;
    two->first.reset();
    two->second->assign(1000, 9);
  }
  EXPECT_NE(Arena::fingerprint(two), before);
  Arena::restore(snapshot);
  EXPECT_EQ(Arena::fingerprint(two), before);
  EXPECT_EQ(Arena::bytes_used(), used);
  EXPECT_EQ(*two->first, std::vector<std::uint64_t>(3, 7));
  EXPECT_EQ(*two->second, std::vector<std::uint64_t>(3, 8));
}

TEST(Arena, RestoresWhatHasLinesOfItsOwn) {
  struct alignas(64) Line {
    std::uint64_t value = 1;
  };
  Arena::reset();
  std::vector<Line>* lines = nullptr;
  {
    const Arena::Use inside;
    lines = new std::vector<Line>(3);
  }
  const Arena::Snapshot before = Arena::save();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(lines->data()) % 64, 0U);
  lines->at(1).value = 2;
  Arena::restore(before);
  EXPECT_EQ(lines->at(1).value, 1U);
}

TEST(Arena, IsNotUsedUnlessAskedFor) {
  Arena::reset();
  const std::size_t used = Arena::bytes_used();
  const auto outside = numbers(1);
  EXPECT_EQ(Arena::bytes_used(), used);
  const Arena::Use inside;
  const auto within = numbers(1);
  EXPECT_GT(Arena::bytes_used(), used);
}

}  // namespace
}  // namespace weft::sim::explore
