// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/loading/loading_window.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft {
namespace {

std::uintptr_t map(std::size_t bytes) {
  void* got = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(got, MAP_FAILED);
  return reinterpret_cast<std::uintptr_t>(got);
}

std::vector<std::uintptr_t> map_in_window(unsigned number) {
  const LoadingWindow window(number);
  return {map(5000), map(std::size_t{3} << 20), map(100), map(std::size_t{1} << 30)};
}

TEST(LoadingWindow, WhatIsMappedMeanwhileGoesWhereItDoesInAnyProcess) {
  const std::vector<std::uintptr_t> places = map_in_window(3);
  for (const std::uintptr_t place : places)
    EXPECT_EQ(place / LoadingWindow::kBytes, places[0] / LoadingWindow::kBytes);
  // Another window, after the process has mapped other things of all sizes.
  for (std::size_t bytes = 4096; bytes < std::size_t{1} << 30; bytes *= 2) map(bytes);
  const std::vector<std::uintptr_t> later = map_in_window(5);
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_EQ(later[i], places[i] + 2 * LoadingWindow::kBytes) << i;
  }
}

TEST(LoadingWindow, WhatWeftItselfMapsMeanwhileIsInNobodysWay) {
  const std::vector<std::uintptr_t> places = map_in_window(9);
  const LoadingWindow window(11);
  std::byte* const own = static_cast<std::byte*>(map_own_memory(std::size_t{1} << 20));
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(own[0], std::byte{0});
  EXPECT_EQ(map(5000), places[0] + 2 * LoadingWindow::kBytes);
  {
    const OwnMemoryAside inner;
    EXPECT_NE(map_own_memory(1), nullptr);
  }
  EXPECT_NE(map_own_memory(1), nullptr);
  EXPECT_EQ(map(std::size_t{3} << 20), places[1] + 2 * LoadingWindow::kBytes);
  EXPECT_EQ(munmap(own, std::size_t{1} << 20), 0);
}

TEST(LoadingWindow, LeavesNothingBehind) {
  const std::uintptr_t before = map(4096);
  {
    const LoadingWindow window(7);
  }
  const std::uintptr_t after = map(4096);
  EXPECT_LT(before > after ? before - after : after - before, std::uintptr_t{1} << 30);
}

}  // namespace
}  // namespace weft
