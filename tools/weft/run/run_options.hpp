// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of `weft run`, and what it means for the nodes' environment.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "runtime/options/options.hpp"
#include "weft/processors/sharing.hpp"
#include "weft/run/host_tree.hpp"

namespace CLI {
class App;
}

namespace weft {

struct RunOptions {
  unsigned nodes = 0;     // 0: one, or as many as the hosts have room for
  bool per_numa = false;  // one for each NUMA domain of the hosts
  unsigned threads = 0;   // of each node; 0: decided by decide_threads()
  NodeOptions node;
  std::string hosts, hostfile;       // where the nodes are to run; both empty: here
  std::string network;               // between the hosts: an interface or a network; empty: chosen
  std::string bind = "auto";         // one of kBindings
  unsigned fanout = kDefaultFanout;  // hosts that one host reaches; 0: this one reaches all
  std::string stage;            // the folder below which hosts get the program; empty: they have it
  bool joins_itself = false;    // the program becomes a node by a language's binding
  unsigned grace_seconds = 10;  // from a forwarded signal to SIGKILL; 0: for ever
  std::string deadlock = "report";  // what is done about one: report, abort or off
  unsigned look_ms = 2000;          // between looks for one; for tests
  std::string label;             // what lines of output begin with: "all" or "node"; empty: nothing
  std::string output_folder;     // where the output is kept as well; empty: nowhere
  std::uint64_t timeout_ms = 0;  // after which the job is ended; 0: never
  std::vector<std::string> command;  // the program and its arguments

  [[nodiscard]] Binding binding() const;

  // Where libweft-node.so is, when not beside this command; for tests.
  std::string node_library;
};

// Adds the options that say which hosts are meant, and by which network.
void add_host_options(CLI::App& command, RunOptions& options);

// Adds `weft run` to the command line; the options are filled when it is parsed.
CLI::App* add_run_command(CLI::App& app, RunOptions& options);

// The threads of each node: what the user asked for, enough for OMP_NUM_THREADS (which counts the
// whole job's), or a node's share of its host's processors.
Result<unsigned> decide_threads(const RunOptions& options, unsigned nodes,
                                const char* omp_num_threads, unsigned processors_per_node);

// Fails if there are more than there may be.
[[nodiscard]] Status check_node_count(unsigned nodes);
// The limit for silence in seconds, of which a year is as good as for ever; 0: there is none.
[[nodiscard]] unsigned lost_after_seconds(const RunOptions& options);

// The variables that tell a node its options. Those that are as by default are left out, unless the
// launcher's own environment has them.
[[nodiscard]] std::map<std::string, std::string> option_environment(const RunOptions& options);

}  // namespace weft
