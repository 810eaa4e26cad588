// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/compiled_code/prefetch_sites.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

using Ticks = PrefetchSite::Ticks;

// Longer than any call is taken to last: so it is known how long it is taken to have lasted.
constexpr Ticks kForever = 1'000'000'000, kLongest = 200'000;

// How long calls are left out once one has noted something that began that long ago: at least, and
// at most.
template <typename Note>
std::pair<Ticks, Ticks> left_out(PrefetchSite& site, Note note) {
  const Ticks before = PrefetchSite::now();
  note(before - kForever);
  return {site.left_out_until() - PrefetchSite::now(), site.left_out_until() - before};
}

TEST(PrefetchSite, LeavesCallsOutForLongerAndLongerWhileTheyAreInVain) {
  PrefetchSite site;
  EXPECT_FALSE(site.is_left_out(PrefetchSite::now()));
  for (Ticks times = 30; times <= 30 * 32; times *= 2) {
    const auto [least, most] =
        left_out(site, [&](Ticks began) { site.note_outcome(/*was_of_use=*/false, began); });
    EXPECT_LE(least, times * kLongest);
    EXPECT_GE(most, times * kLongest);
    EXPECT_TRUE(site.is_left_out(site.left_out_until() - 1));
    EXPECT_FALSE(site.is_left_out(site.left_out_until()));
  }
}

TEST(PrefetchSite, LeavesThoseThatSayTheSameOutForAsLongEachTime) {
  PrefetchSite site;
  for (int turn = 0; turn < 9; ++turn) {
    const auto [least, most] = left_out(site, [&](Ticks began) { site.note_repetition(began); });
    EXPECT_LE(least, 30 * kLongest);
    EXPECT_GE(most, 30 * kLongest);
  }
}

TEST(PrefetchSite, BeginsAnewAfterOneThatWasOfUse) {
  PrefetchSite site;
  const Ticks now = PrefetchSite::now();
  for (int turn = 0; turn < 3; ++turn) site.note_outcome(/*was_of_use=*/false, now);
  site.note_outcome(/*was_of_use=*/true, now);
  const auto [least, most] =
      left_out(site, [&](Ticks began) { site.note_outcome(/*was_of_use=*/false, began); });
  EXPECT_LE(least, 30 * kLongest);
  EXPECT_GE(most, 30 * kLongest);
}

}  // namespace
}  // namespace weft
