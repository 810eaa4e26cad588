// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/inspecting/kept_inspections.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr std::uintptr_t kFirst = 0x10000000;
constexpr std::size_t kPages = 40;

class Kept : public testing::Test {
 protected:
  Kept() : bytes_(kPages * kPageBytes, std::byte{1}) {}

  // With all pages but the one.
  [[nodiscard]] IndexMemory memory(std::size_t without = kPages) const {
    std::vector<IndexMemory::Window> windows;
    for (std::size_t page = 0; page < kPages; ++page) {
      const std::uintptr_t first = kFirst + page * kPageBytes;
      if (page != without)
        windows.push_back({first, first + kPageBytes, &bytes_[page * kPageBytes]});
    }
    return IndexMemory(std::move(windows));
  }
  [[nodiscard]] static Inspected inspected() {
    // Neither the first nor the last bytes are values.
    return {{}, {{kFirst + 100, kFirst + kPages * kPageBytes - 100}}, 0};
  }

  std::vector<std::byte> bytes_;
};

TEST_F(Kept, IsValidWhileNothingChanges) {
  KeptInspection kept(inspected(), memory());
  for (int turn = 0; turn < 100; ++turn) EXPECT_TRUE(kept.is_valid(memory(), turn % 2 == 0));
}

TEST_F(Kept, IsNotValidAfterAnyChange) {
  for (std::size_t at = 100; at < bytes_.size() - 100; at += 997) {
    KeptInspection kept(inspected(), memory());
    bytes_[at] ^= std::byte{0x40};
    EXPECT_FALSE(kept.is_valid(memory(), /*all=*/true)) << at;
  }
}

TEST_F(Kept, SeesASmallChangeInTime) {
  for (std::size_t page = 0; page < kPages; ++page) {
    KeptInspection kept(inspected(), memory());
    bytes_[page * kPageBytes + 2000] ^= std::byte{1};
    std::uint32_t turns = 1;
    while (kept.is_valid(memory(), /*all=*/false)) ++turns;
    EXPECT_LE(turns, KeptInspection::kTurns);
  }
}

TEST_F(Kept, DoesNotMindTheNeighbours) {
  KeptInspection kept(inspected(), memory());
  bytes_[99] ^= std::byte{1};
  bytes_[bytes_.size() - 100] ^= std::byte{1};
  EXPECT_TRUE(kept.is_valid(memory(), /*all=*/true));
}

TEST_F(Kept, IsNotValidIfValuesHaveComeOrGone) {
  KeptInspection without(inspected(), memory(7));
  EXPECT_TRUE(without.is_valid(memory(7), /*all=*/true));
  EXPECT_FALSE(without.is_valid(memory(), /*all=*/true));
  KeptInspection with(inspected(), memory());
  EXPECT_FALSE(with.is_valid(memory(7), /*all=*/true));
}

TEST(KeptInspections, AreFoundByTheirCalls) {
  KeptInspections all;
  const auto made =
      std::make_shared<KeptInspection>(Inspected{{{4096, 8192}}, {}, 0}, IndexMemory({}));
  EXPECT_EQ(all.find(77), nullptr);
  all.keep(77, made);
  EXPECT_EQ(all.find(77), made);
  EXPECT_EQ(all.find(77 + 256), nullptr) << "the same place, another call";
  all.keep(77 + 256, std::make_shared<KeptInspection>(Inspected{}, IndexMemory({})));
  EXPECT_EQ(all.find(77), nullptr);
}

}  // namespace
}  // namespace weft
