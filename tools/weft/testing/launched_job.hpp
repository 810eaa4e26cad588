// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests: `weft run` as a child process, with its streams in pipes.
#pragma once

#include <sys/types.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace weft::testing {

struct Outcome {
  int status = -1;  // as a shell gives it: 128 + signal if killed
  std::string output, errors;

  [[nodiscard]] std::vector<std::string> lines() const;  // of the output
};

class LaunchedJob {
 public:
  using Environment = std::map<std::string, std::string>;

  // `arguments` come after `weft run --node-library ...`; the environment is added to this one's.
  explicit LaunchedJob(const std::vector<std::string>& arguments,
                       const std::map<std::string, std::string>& environment = {},
                       const std::string& input = {});
  // Another command than `run`: all words after `weft`.
  struct Command {
    std::vector<std::string> words;
  };
  LaunchedJob(const Command& command, const Environment& environment,
              const std::string& input = {});
  ~LaunchedJob();
  LaunchedJob(const LaunchedJob&) = delete;
  LaunchedJob& operator=(const LaunchedJob&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Reads the output until the text has come so many times; false if the job ended before.
  bool wait_for_output(const std::string& text, std::size_t times = 1);
  [[nodiscard]] const std::string& output() const { return outcome_.output; }
  // Until the pipe for its standard output takes no more, as nobody reads it.
  void wait_until_output_is_full() const;
  void signal(int number) const;
  // Stops reading the job's standard output.
  void close_output();
  // Waits for the end.
  Outcome finish();

 private:
  bool read_once();  // false once both streams have ended

  pid_t pid_ = -1;
  int output_ = -1, errors_ = -1;
  Outcome outcome_;
};

// Starts a job and waits for its end.
Outcome run(const std::vector<std::string>& arguments,
            const std::map<std::string, std::string>& environment = {},
            const std::string& input = {});

// Runs another command than `weft run`, which its words begin with.
Outcome run_command(const std::vector<std::string>& words,
                    const std::map<std::string, std::string>& environment = {});

// Program files that the tests start.
std::string job_program();
std::string plain_program();

// All processes whose command line holds the text, but not this one.
std::set<pid_t> processes_with(const std::string& text);
// The process itself is gone, or nothing but a zombie of somebody else's.
bool is_gone(pid_t pid);
// Numbers after each "pid " in the text.
std::vector<pid_t> pids_in(const std::string& text);
// Tries for two minutes whether it becomes true: a loaded machine is no failure.
template <typename Condition>
bool soon(Condition condition);

}  // namespace weft::testing

#include <unistd.h>

template <typename Condition>
bool weft::testing::soon(Condition condition) {
  for (int attempt = 0; attempt < 12000; ++attempt) {
    if (condition()) return true;
    usleep(10000);
  }
  return false;
}
