// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/testing/terminal_job.hpp"

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace weft::testing {

TerminalJob::TerminalJob(std::vector<std::string> words,
                         const std::map<std::string, std::string>& environment) {
  words.insert(words.begin(), WEFT_COMMAND);
  std::vector<char*> argv;
  for (std::string& each : words) argv.push_back(each.data());
  argv.push_back(nullptr);
  const winsize size = {.ws_row = 40, .ws_col = 120, .ws_xpixel = 0, .ws_ypixel = 0};
  pid_ = forkpty(&terminal_, nullptr, nullptr, &size);
  if (pid_ != 0) return;
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  execv(argv[0], argv.data());
  _exit(126);
}

TerminalJob::~TerminalJob() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(terminal_);
}

void TerminalJob::type(const std::string& keys) const {
  (void)!write(terminal_, keys.data(), keys.size());
}

bool TerminalJob::wait_for(const std::string& text) {
  while (screen_.find(text) == std::string::npos) {
    pollfd ready = {terminal_, POLLIN, 0};
    char buffer[4096];
    if (poll(&ready, 1, 60000) <= 0) return false;
    const ssize_t count = read(terminal_, buffer, sizeof buffer);
    if (count <= 0) return false;
    screen_.append(buffer, static_cast<std::size_t>(count));
  }
  return true;
}

int TerminalJob::status() {
  wait_for("a text that never comes");
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace weft::testing
