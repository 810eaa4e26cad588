// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jobs whose standard streams are a terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "weft/testing/launched_job.hpp"

namespace weft::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// `weft run` in a terminal of its own, as its foreground job.
class TerminalJob {
 public:
  explicit TerminalJob(std::vector<std::string> words) {
    words.insert(words.begin(), {WEFT_COMMAND, "run", "--node-library", WEFT_NODE_LIBRARY});
    std::vector<char*> argv;
    for (std::string& each : words) argv.push_back(each.data());
    argv.push_back(nullptr);
    pid_ = forkpty(&terminal_, nullptr, nullptr, nullptr);
    if (pid_ == 0) {
      execv(argv[0], argv.data());
      _exit(126);
    }
  }
  ~TerminalJob() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    close(terminal_);
  }

  void type(const std::string& keys) const { (void)!write(terminal_, keys.data(), keys.size()); }
  // What appears on the screen until the text does, or until the end.
  bool wait_for(const std::string& text) {
    while (screen_.find(text) == std::string::npos) {
      pollfd ready = {terminal_, POLLIN, 0};
      char buffer[4096];
      if (poll(&ready, 1, 10000) <= 0) return false;
      const ssize_t count = read(terminal_, buffer, sizeof buffer);
      if (count <= 0) return false;
      screen_.append(buffer, static_cast<std::size_t>(count));
    }
    return true;
  }
  [[nodiscard]] const std::string& screen() const { return screen_; }
  int status() {
    wait_for("a text that never comes");
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_ = -1;
  int terminal_ = -1;
  std::string screen_;
};

TEST(TerminalTest, QuestionsAppearBeforeTheyAreAnswered) {
  TerminalJob job({"-n", "3", job_program(), "ask"});
  ASSERT_TRUE(job.wait_for("Name? ")) << job.screen();
  job.type("Ada\n");
  EXPECT_TRUE(job.wait_for("hello Ada")) << job.screen();
  EXPECT_EQ(job.status(), 0);
}

TEST(TerminalTest, InterruptEndsTheJobWithoutAWord) {
  TerminalJob job({"-n", "2", job_program(), "ask"});
  ASSERT_TRUE(job.wait_for("Name? ")) << job.screen();
  job.type("\x03");
  EXPECT_EQ(job.status(), 128 + SIGINT);
  EXPECT_THAT(job.screen(), Not(HasSubstr("weft:")));
}

TEST(TerminalTest, TheProgramSeesAnInterruptOnce) {
  TerminalJob job({"-n", "2", job_program(), "handle", std::to_string(SIGINT), "6"});
  ASSERT_TRUE(job.wait_for("ready")) << job.screen();
  job.type("\x03");
  EXPECT_EQ(job.status(), 6);
}

}  // namespace
}  // namespace weft::testing
