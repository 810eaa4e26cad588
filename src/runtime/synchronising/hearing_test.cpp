// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/synchronising/hearing.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Hearing, LastsAsLongAsThreadsHadToWait) {
  Hearing hearing;
  EXPECT_EQ(hearing.moment_ns(), Hearing::kShortest);
  hearing.note_wait(200'000);
  EXPECT_EQ(hearing.moment_ns(), 250'000);
  hearing.note_wait(20'000);
  EXPECT_EQ(hearing.moment_ns(), 250'000) << "others may have to wait as long as before";
  hearing.note_wait(Hearing::kLongest - 1);
  EXPECT_EQ(hearing.moment_ns(), Hearing::kLongest);
}

TEST(Hearing, BecomesShortWhereItDidNotHelp) {
  Hearing hearing;
  hearing.note_wait(200'000);
  hearing.note_wait(2'000'000);
  EXPECT_EQ(hearing.moment_ns(), 125'000);
  for (int time = 0; time < 5; ++time) hearing.note_wait(2'000'000);
  EXPECT_EQ(hearing.moment_ns(), Hearing::kShortest);
}

}  // namespace
}  // namespace weft
