// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests: `weft` in a terminal of its own, as its foreground job.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace weft::testing {

class TerminalJob {
 public:
  // All words after `weft`; the environment is added to this one's.
  explicit TerminalJob(std::vector<std::string> words,
                       const std::map<std::string, std::string>& environment = {});
  ~TerminalJob();
  TerminalJob(const TerminalJob&) = delete;
  TerminalJob& operator=(const TerminalJob&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  // The test's end.
  [[nodiscard]] int terminal() const { return terminal_; }
  void type(const std::string& keys) const;
  // What appears on the screen until the text does, or until the end.
  bool wait_for(const std::string& text);
  [[nodiscard]] const std::string& screen() const { return screen_; }
  void forget_screen() { screen_.clear(); }
  // Waits for the end; as a shell gives it.
  int status();

 private:
  pid_t pid_ = -1;
  int terminal_ = -1;
  std::string screen_;
};

}  // namespace weft::testing
