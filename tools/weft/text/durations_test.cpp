// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/text/durations.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace weft {
namespace {

using std::chrono::milliseconds;

TEST(Durations, AreReadAsPeopleWriteThem) {
  EXPECT_EQ(parse_duration("90"), milliseconds(90'000));
  EXPECT_EQ(parse_duration("0"), milliseconds(0));
  EXPECT_EQ(parse_duration("90s"), milliseconds(90'000));
  EXPECT_EQ(parse_duration("250ms"), milliseconds(250));
  EXPECT_EQ(parse_duration("15m"), milliseconds(900'000));
  EXPECT_EQ(parse_duration("1h30m"), milliseconds(5'400'000));
  EXPECT_EQ(parse_duration("7d1s"), milliseconds(604'801'000));
}

TEST(Durations, ThatMakeNoSenseAreRefused) {
  for (const char* text : {"", "s", "-1", "1.5h", "10x", "30m1h", "1m1m", "1h30", "1 h", "10001d",
                           "99999999999999999999", "9223372036854775807d"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

TEST(Durations, AreWrittenAsTheyAreRead) {
  for (const char* text : {"250ms", "90s", "119s500ms", "2m", "15m", "1h30m", "3d4h5m6s"}) {
    EXPECT_EQ(duration_text(parse_duration(text).value()), text);
  }
  EXPECT_EQ(duration_text(milliseconds(0)), "0s");
}

TEST(Durations, OfRunningJobs) {
  EXPECT_EQ(running_time(milliseconds(7'999)), "0:07");
  EXPECT_EQ(running_time(milliseconds(754'000)), "12:34");
  EXPECT_EQ(running_time(milliseconds(18'367'000)), "5:06:07");
  EXPECT_EQ(running_time(milliseconds(273'906'000)), "3d 04:05:06");
}

TEST(Durations, TimesAreThoseOfTheTimeZone) {
  const char* const before = std::getenv("TZ");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TZ", "UTC-2", 1);
  tzset();
  const std::chrono::system_clock::time_point when(std::chrono::milliseconds(86'399'007));
  EXPECT_EQ(time_of_day(when), "01:59:59.007");
  EXPECT_EQ(date_and_time(when), "1970-01-02 01:59:59");
  before == nullptr ? unsetenv("TZ") : setenv("TZ", kept.c_str(), 1);
  tzset();
}

}  // namespace
}  // namespace weft
