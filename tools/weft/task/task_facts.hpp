// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tasks of a launcher tell each other before they start their nodes, and what follows from
// it. All of them conclude the same from the same.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/codec.hpp"
#include "base/result.hpp"
#include "weft/agent/agent_messages.hpp"

namespace weft {

struct TaskFacts {
  AgentHello host;
  std::string place;                 // differs between tasks that cannot share memory
  std::vector<unsigned> processors;  // by number, that the launcher allows this task
  // As the user has said them: WEFT_THREADS, OMP_NUM_THREADS and WEFT_NET; empty: not at all.
  std::string threads, omp_num_threads, network;
  std::string refusal;  // why this task cannot have a node: a sentence, or nothing
  WEFT_FIELDS(self.host, self.place, self.processors, self.threads, self.omp_num_threads,
              self.network, self.refusal)
};

// Of this process.
[[nodiscard]] TaskFacts facts_of_this_task(const char* version);

struct TaskDecision {
  unsigned threads = 1;              // of each node
  std::vector<unsigned> nodes_here;  // on the task's host, in order
  unsigned processors_here = 1;      // that the nodes of the task's host may use together
  HostAddress network;               // by which other hosts reach this one; empty if there is one
};

// For the task `rank`. What the user has said is taken from task 0. Fails with a sentence.
[[nodiscard]] Result<TaskDecision> decide_for_task(const std::vector<TaskFacts>& all,
                                                   unsigned rank);

}  // namespace weft
