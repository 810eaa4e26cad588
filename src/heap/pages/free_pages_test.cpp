// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/pages/free_pages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/numbers/random.hpp"

namespace weft::heap {
namespace {

TEST(FreePages, TakesTheSmallestRunThatFitsAndJoinsNeighbours) {
  FreePages runs(10, 110);
  const auto a = runs.take(10), b = runs.take(5), c = runs.take(20), d = runs.take(1);
  EXPECT_EQ(a->first, 10U);
  EXPECT_EQ(a->zero_from, 10U);
  EXPECT_EQ(b->first, 20U);
  EXPECT_EQ(c->first, 25U);
  EXPECT_EQ(d->first, 45U);
  runs.give(a->first, 10);
  runs.give(c->first, 20);
  const auto e = runs.take(8);
  EXPECT_EQ(e->first, 10U);
  EXPECT_EQ(e->zero_from, 18U) << "used pages are not known to be zero";
  runs.give(e->first, 8);
  runs.give(b->first, 5);
  EXPECT_EQ(runs.take(35)->first, 10U);
}

TEST(FreePages, AFreeRunBelowTheMarkGrowsAboveIt) {
  FreePages runs(0, 100);
  const auto a = runs.take(50);
  runs.give(a->first, 50);
  const auto b = runs.take(100);
  ASSERT_TRUE(b);
  EXPECT_EQ(b->first, 0U);
  EXPECT_EQ(b->zero_from, 50U);
  EXPECT_FALSE(runs.take(1));
}

TEST(FreePages, TakesAtAPlace) {
  FreePages runs(0, 100);
  const auto a = runs.take(10), b = runs.take(10);
  EXPECT_FALSE(runs.take_at(10, 5));
  EXPECT_FALSE(runs.take_at(21, 5)) << "would leave a hole above the mark";
  EXPECT_EQ(runs.take_at(20, 5)->zero_from, 20U);
  runs.give(b->first, 10);
  EXPECT_TRUE(runs.take_at(10, 4));
  EXPECT_FALSE(runs.take_at(14, 7));
  EXPECT_TRUE(runs.take_at(14, 6));
  EXPECT_FALSE(runs.take_at(25, 76));
  runs.give(a->first, 10);
  EXPECT_EQ(runs.pages_in_use(), 15U);
}

TEST(FreePages, RandomRunsNeverOverlapAndAllComeBack) {
  Random random(7);
  FreePages runs(3, 5000);
  std::map<std::uint64_t, FreePages::Run> held;
  std::vector<bool> dirty(5000, false);
  for (int step = 0; step < 20000; ++step) {
    if (random.chance(52)) {
      const std::uint64_t alignment = std::uint64_t{1} << random.below(6);
      const auto run = runs.take(1 + random.below(60), alignment, 5);
      if (!run) continue;
      ASSERT_EQ((run->first + 5) % alignment, 0U);
      ASSERT_LE(run->first + run->count, 5000U);
      const auto next = held.lower_bound(run->first);
      if (next != held.end()) ASSERT_LE(run->first + run->count, next->first);
      if (next != held.begin()) {
        ASSERT_LE(std::prev(next)->first + std::prev(next)->second.count, run->first);
      }
      for (std::uint64_t page = run->zero_from; page < run->first + run->count; ++page) {
        ASSERT_FALSE(dirty[page]);
      }
      std::fill_n(dirty.begin() + static_cast<long>(run->first), run->count, true);
      held[run->first] = *run;
    } else if (!held.empty()) {
      auto victim = held.begin();
      std::advance(victim, random.below(held.size()));
      runs.give(victim->second.first, victim->second.count);
      held.erase(victim);
    }
  }
  for (const auto& [first, run] : held) runs.give(first, run.count);
  EXPECT_EQ(runs.pages_in_use(), 0U);
  EXPECT_TRUE(runs.take(4997));
}

}  // namespace
}  // namespace weft::heap
