// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/gathering/own_time.hpp"

#include <gtest/gtest.h>

namespace weft::pthread {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

TEST(OwnTime, AThreadWithAProcessorComputesWhileItIsNotAway) {
  EXPECT_EQ(computed_of(10 * kMillisecond, 10 * kMillisecond, kMillisecond, 0), 10 * kMillisecond);
  // What Weft did for it took its processor, too.
  EXPECT_EQ(computed_of(4 * kMillisecond, 9 * kMillisecond, 6 * kMillisecond, 0), 4 * kMillisecond);
}

TEST(OwnTime, WaitingForAProcessorIsNotComputing) {
  // One that computes for long, of eight that share a processor.
  EXPECT_EQ(computed_of(64 * kMillisecond, 8 * kMillisecond, 0, 0), 8 * kMillisecond);
  // One that asks other nodes again and again: all that it has computed is in short stretches.
  EXPECT_EQ(computed_of(50 * kMillisecond, 8 * kMillisecond, 14 * kMillisecond, kMillisecond),
            kMillisecond);
}

TEST(OwnTime, AThreadComputesNoMoreThanItIsThere) {
  EXPECT_EQ(computed_of(2 * kMillisecond, kMillisecond, 5 * kMillisecond, 3 * kMillisecond),
            2 * kMillisecond);
  EXPECT_EQ(computed_of(0, 0, 0, 0), 0);
}

}  // namespace
}  // namespace weft::pthread
