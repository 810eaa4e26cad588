// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `weft ps`, `weft status`, `weft kill`: this user's running jobs on this host.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace weft {

struct JobsOptions {
  bool json = false;
  std::string job;                // empty: the only one that there is
  std::vector<std::string> jobs;  // of `weft kill`
  std::string signal = "TERM";
};

// As the command line knows them.
struct JobsCommands {
  const CLI::App* list = nullptr;
  const CLI::App* show = nullptr;
  const CLI::App* end = nullptr;
};
JobsCommands add_jobs_commands(CLI::App& app, JobsOptions& options);

// They print on standard output, complain on standard error, and return the exit status.
int list_jobs(const JobsOptions& options, const char* version);
int show_job(const JobsOptions& options, const char* version);
int kill_jobs(const JobsOptions& options, const char* version);

// "TERM", "sigterm", "15"; nothing if there is no such signal.
[[nodiscard]] std::optional<int> parse_signal(const std::string& text);

}  // namespace weft
