// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/doctor/doctor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft {
namespace {

using ::testing::HasSubstr;

// The tests of jobs run on this very host, so that the doctor must find it healthy.
TEST(DoctorTest, FindsAHostHealthyWhereJobsRun) {
  std::string report;
  EXPECT_EQ(examine_host(report), 0) << report;
  for (const char* part : {"kernel", "mprotect", "processors", "memory", "Jobs can run here.\n"}) {
    EXPECT_THAT(report, HasSubstr(part));
  }
}

}  // namespace
}  // namespace weft
