// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of `weft run`, and what it means for the nodes' environment.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace weft {

struct RunOptions {
  unsigned nodes = 1;
  unsigned threads = 0;  // of each node; 0: decided by decide_threads()
  std::string back_end = "auto";
  std::string transport = "auto";
  std::uint64_t latency_us = 0;
  std::uint64_t bandwidth = 0;    // bytes a second; 0: not limited
  std::uint64_t memory = 0;       // bytes of a node; 0: not limited
  std::uint64_t shared_size = 0;  // bytes; 0: the node's default
  unsigned grace_seconds = 10;    // from a forwarded signal to SIGKILL; 0: for ever
  std::string statistics;         // text or json; empty: none
  bool verbose = false;
  bool label = false;
  std::vector<std::string> command;  // the program and its arguments

  // Where libweft-node.so is, when not beside this command; for tests.
  std::string node_library;
};

// Adds `weft run` to the command line; the options are filled when it is parsed.
CLI::App* add_run_command(CLI::App& app, RunOptions& options);

// The threads of each node: what the user asked for, enough for OMP_NUM_THREADS (which counts the
// whole job's), or what the machine has.
Result<unsigned> decide_threads(const RunOptions& options, const char* omp_num_threads,
                                unsigned processors);

// The variables that tell a node its options.
[[nodiscard]] std::map<std::string, std::string> option_environment(const RunOptions& options);

}  // namespace weft
