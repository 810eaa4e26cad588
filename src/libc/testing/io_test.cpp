// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every wrapped call on missing pages: it works when calls are wrapped, and the same call fails
// when they are not, so that the cases are known to test something.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "libc/testing/io_test_cases.hpp"
#include "libc/testing/io_test_stacks.hpp"
#include "libc/testing/test_node.hpp"

namespace {

TestRegion& region() {
  static TestRegion instance;
  return instance;
}

std::vector<IoCase> all_cases() {
  std::vector<IoCase> all;
  for (const auto cases : {contents_cases(), file_cases(), network_cases(), process_cases()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

class Io : public ::testing::TestWithParam<IoCase> {
 protected:
  void SetUp() override {
    test_node_share(region().begin(), TestRegion::kBytes);
    region().reset();
  }
  void TearDown() override {
    test_node_wrap_io(false);
    region().reset();
  }
};

TEST_P(Io, WorksOnMissingPages) {
  test_node_wrap_io(true);
  EXPECT_TRUE(GetParam().run(region())) << strerror(errno);
}

TEST_P(Io, WorksWhenTheStackIsMissingToo) {
  test_node_wrap_io(true);
  EXPECT_TRUE(ProgramStack(region()).call(GetParam().run)) << strerror(errno);
}

// Another thread takes all pages away, again and again, also between a call's preparation and the
// call.
TEST_P(Io, WorksWhilePagesComeAndGo) {
  test_node_wrap_io(true);
  std::atomic<bool> stop = false;
  std::thread thief([&stop] {
    while (!stop) {
      region().hide();
      // So that calls get on between; how many thefts hit a call does not matter.
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  });
  for (int round = 0; round < 3 && !HasFailure(); ++round) {
    EXPECT_TRUE(ProgramStack(region()).call(GetParam().run)) << strerror(errno);
    region().reset();
  }
  stop = true;
  thief.join();
}

TEST_P(Io, WithoutWrapping) {
  test_node_wrap_io(false);
  EXPECT_EQ(GetParam().run(region()), GetParam().without == IoCase::kWorks);
}

INSTANTIATE_TEST_SUITE_P(Calls, Io, ::testing::ValuesIn(all_cases()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
