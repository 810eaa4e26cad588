// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jobs whose standard streams are a terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <string>
#include <utility>
#include <vector>

#include "weft/testing/launched_job.hpp"
#include "weft/testing/terminal_job.hpp"

namespace weft::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TerminalJob run_in_terminal(std::vector<std::string> words) {
  words.insert(words.begin(), {"run", "--node-library", WEFT_NODE_LIBRARY});
  return TerminalJob(std::move(words));
}

TEST(TerminalTest, QuestionsAppearBeforeTheyAreAnswered) {
  TerminalJob job = run_in_terminal({"-n", "3", job_program(), "ask"});
  ASSERT_TRUE(job.wait_for("Name? ")) << job.screen();
  job.type("Ada\n");
  EXPECT_TRUE(job.wait_for("hello Ada")) << job.screen();
  EXPECT_EQ(job.status(), 0);
}

TEST(TerminalTest, InterruptEndsTheJobWithoutAWord) {
  TerminalJob job = run_in_terminal({"-n", "2", job_program(), "ask"});
  ASSERT_TRUE(job.wait_for("Name? ")) << job.screen();
  job.type("\x03");
  EXPECT_EQ(job.status(), 128 + SIGINT);
  EXPECT_THAT(job.screen(), Not(HasSubstr("weft:")));
}

TEST(TerminalTest, TheProgramSeesAnInterruptOnce) {
  TerminalJob job =
      run_in_terminal({"-n", "2", job_program(), "handle", std::to_string(SIGINT), "6"});
  ASSERT_TRUE(job.wait_for("ready")) << job.screen();
  job.type("\x03");
  EXPECT_EQ(job.status(), 6);
}

}  // namespace
}  // namespace weft::testing
