// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `weft top`: a running job, its nodes and threads, again and again.
#pragma once

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace weft {

struct TopOptions {
  std::string job;                   // empty: the only one that there is
  std::uint64_t interval_ms = 1000;  // between two looks
  bool once = false;                 // one table, without a terminal
  bool threads = false;              // a line for each thread
};

CLI::App* add_top_command(CLI::App& app, TopOptions& options);

// Blocks until the user quits or the job ends; returns the exit status.
int watch_job(const TopOptions& options, const char* version);

}  // namespace weft
