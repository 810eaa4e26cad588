// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts one node: a process that runs the program with the node library before it, with address
// randomisation off, its standard streams in pipes to the launcher and a socket as its link. A
// program that joins by itself is started as it is, and told where its library lies.
#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "runtime/board/board_file.hpp"
#include "weft/processors/processors.hpp"

namespace weft {

struct SpawnPlan {
  std::string file;                      // to execute
  std::vector<std::string> arguments;    // argv, with the program's name
  std::string node_library;              // absolute path of libweft-node.so, or of the binding
  bool joins_itself = false;             // by the binding, which the program loads when it likes
  unsigned nodes = 1, threads = 1;       // of the job, and of each node
  unsigned nodes_here = 1;               // of the job, on this host
  unsigned processors_here = 0;          // that those may use; 0: as many as this process
  std::vector<ProcessorSet> processors;  // to which each of those is bound; none: they are not
  int input = -1;                        // standard input of node 0; -1: the launcher's own
  bool is_plain = false;       // the only node is the program alone, as without a launcher
  bool passes_output = false;  // standard output and error are the launcher's own
  std::map<std::string, std::string> environment;  // of options; added to the launcher's own
  std::set<std::string> hidden_variables;          // of the launcher's, that nodes do not get
  sigset_t signal_mask = {};                       // that the program starts with
  rlimit descriptor_limit = {};                    // likewise
};

// A node as the launcher holds it. The descriptors belong to whoever holds this.
struct NodeProcess {
  pid_t pid = -1;
  int death = -1;              // pidfd: readable when the process has ended
  int link = -1;               // the launcher's end of the bootstrap socket
  int streams[2] = {-1, -1};   // read ends of its standard output and error; non-blocking; -1:
                               // they are the launcher's own
  board::BoardFile board;      // what it shows of itself
  bool has_own_group = false;  // its process group is named by its pid
};

// Bound to these processors, or to those of this process if there are none.
Result<NodeProcess> spawn_node(const SpawnPlan& plan, unsigned node,
                               const ProcessorSet& processors);

// Replaces the launcher by the program, on its own: the job of one node. Returns only with a
// sentence that says why it could not.
[[nodiscard]] std::string execute_plainly(const SpawnPlan& plan);

}  // namespace weft
