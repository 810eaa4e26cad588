// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Agents that reach further agents. The hosts have names alone: in place of ssh, a script runs the
// command here. What takes hosts of their own is in tests/hosts/tree.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "weft/testing/launched_job.hpp"

namespace weft::testing {
namespace {

class TreeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/weft-tree-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    std::ofstream(shell()) << "#!/bin/sh\nhost=$1; shift; HOST=$host exec sh -c \"$*\"\n";
    std::filesystem::permissions(shell(), std::filesystem::perms::owner_all);
  }
  void TearDown() override {
    EXPECT_TRUE(soon([&] { return processes_with(folder_).empty(); }));
    std::filesystem::remove_all(folder_);
  }

  [[nodiscard]] std::string shell() const { return folder_ + "/shell"; }
  [[nodiscard]] std::map<std::string, std::string> environment() const {
    return {{"WEFT_SSH", shell()}};
  }
  [[nodiscard]] std::vector<std::string> job(const std::string& fanout,
                                             std::vector<std::string> words) const {
    words.insert(words.begin(),
                 {"--fanout", fanout, "--net", "lo", "--hosts", "a,b:2,c,d,e,f", job_program()});
    words.push_back(folder_);  // by which its processes are found
    return words;
  }

  std::string folder_;
};

TEST_F(TreeTest, NodesMeetWhateverTheWay) {
  for (const char* fanout : {"0", "1", "2", "3", "16"}) {
    const Outcome outcome = run(job(fanout, {"exchange", "1000"}), environment());
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(outcome.errors, "");
  }
}

// Each agent is a child of the one that has reached it: so many of them are the launcher's own.
std::size_t agents_of(pid_t parent) {
  std::ifstream file("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) +
                     "/children");
  std::size_t count = 0;
  for (pid_t child = 0; file >> child;) {
    std::ifstream command("/proc/" + std::to_string(child) + "/cmdline");
    std::string words{std::istreambuf_iterator<char>(command), {}};
    if (words.ends_with(std::string("agent\0", 6))) ++count;
  }
  return count;
}

TEST_F(TreeTest, TheLauncherReachesNoMoreThanItsShare) {
  LaunchedJob started(job("2", {"wait"}), environment());
  ASSERT_TRUE(started.wait_for_output("pid ", 7));
  EXPECT_EQ(agents_of(started.pid()), 2U);
  started.signal(SIGKILL);
  started.finish();
}

}  // namespace
}  // namespace weft::testing
