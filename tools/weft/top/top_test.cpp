// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `weft top` on a whole job, in a terminal and without one.
#include "weft/top/top.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <termios.h>

#include <optional>
#include <string>
#include <vector>

#include "weft/testing/launched_job.hpp"
#include "weft/testing/login.hpp"
#include "weft/testing/terminal_job.hpp"

namespace weft::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kSecondScreen = "\x1b[?1049h";
constexpr const char* kFirstScreen = "\x1b[?1049l";

class TopTest : public LoginTest {
 protected:
  void SetUp() override {
    LoginTest::SetUp();
    job_.emplace(std::vector<std::string>{"-n", "2", job_program(), "wait"});
    ASSERT_TRUE(job_->wait_for_output("\n", 2));
  }
  void TearDown() override {
    job_.reset();
    LoginTest::TearDown();
  }
  // Keys are shown, and come line by line.
  static bool is_as_before(const TerminalJob& top) {
    termios state = {};
    tcgetattr(top.terminal(), &state);
    return (state.c_lflag & ICANON) != 0 && (state.c_lflag & ECHO) != 0;
  }

  std::optional<LaunchedJob> job_;
};

TEST_F(TopTest, PrintsOneTableWhereThereIsNoTerminal) {
  const Outcome outcome = run_command({"top", "--interval", "100ms"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  ASSERT_EQ(outcome.lines().size(), 8U) << outcome.output;
  EXPECT_THAT(outcome.lines()[0], HasSubstr("job " + std::to_string(job_->pid()) + ": "));
  EXPECT_THAT(outcome.lines()[7], HasSubstr("  node 1  running"));
  EXPECT_EQ(run_command({"top", "--interval", "1ms"}).status, 2);
}

TEST_F(TopTest, QuitsAndGivesTheTerminalBack) {
  TerminalJob top({"top"});
  ASSERT_TRUE(top.wait_for("node 1")) << top.screen();
  EXPECT_THAT(top.screen(), HasSubstr(kSecondScreen));
  EXPECT_FALSE(is_as_before(top));
  top.type("t");
  top.type("q");
  ASSERT_TRUE(top.wait_for(kFirstScreen)) << top.screen();
  EXPECT_EQ(top.status(), 0);
  EXPECT_TRUE(is_as_before(top));
}

TEST_F(TopTest, GivesTheTerminalBackWhenItIsInterruptedOrTerminated) {
  for (const int number : {SIGINT, SIGTERM}) {
    TerminalJob top({"top"});
    ASSERT_TRUE(top.wait_for("node 1")) << top.screen();
    number == SIGINT ? top.type("\x03") : (void)kill(top.pid(), number);
    ASSERT_TRUE(top.wait_for(kFirstScreen)) << top.screen();
    EXPECT_EQ(top.status(), number == SIGINT ? 0 : 128 + number);
    EXPECT_TRUE(is_as_before(top));
  }
}

TEST_F(TopTest, EndsWithTheJob) {
  TerminalJob top({"top"});
  ASSERT_TRUE(top.wait_for("node 1")) << top.screen();
  job_->signal(SIGTERM);
  EXPECT_TRUE(top.wait_for("has ended")) << top.screen();
  EXPECT_EQ(top.status(), 0);
  EXPECT_TRUE(is_as_before(top));
}

TEST_F(TopTest, StopsAndGoesOn) {
  TerminalJob top({"top"});
  ASSERT_TRUE(top.wait_for("node 1")) << top.screen();
  kill(top.pid(), SIGTSTP);
  ASSERT_TRUE(top.wait_for(kFirstScreen)) << top.screen();
  int status = 0;
  ASSERT_EQ(waitpid(top.pid(), &status, WUNTRACED), top.pid());
  ASSERT_TRUE(WIFSTOPPED(status));
  EXPECT_TRUE(is_as_before(top));
  top.forget_screen();
  kill(top.pid(), SIGCONT);
  ASSERT_TRUE(top.wait_for("node 1")) << top.screen();
  EXPECT_THAT(top.screen(), HasSubstr(kSecondScreen));
  top.type("q");
  EXPECT_EQ(top.status(), 0);
}

}  // namespace
}  // namespace weft::testing
