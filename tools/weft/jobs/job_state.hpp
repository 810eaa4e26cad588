// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A running job as `weft ps`, `status` and `top` see it, and what these and `weft kill` say to its
// launcher at the job's socket: frames (runtime/bootstrap/frames.hpp), a request and its answer.
//
//   command                                   launcher
//      │── kAskState: JobRequest ────────────►│ asks its hosts
//      │◄─ kState: JobState ──────────────────│
//      │── kAskSignal: JobRequest ───────────►│
//      │◄─ kDone, or kRefused: a sentence ────│
//
// Where another launcher has started the job (task/task_node.hpp), the first task of a host has the
// socket, and those of the host's other nodes connect to it, too:
//
//   another task                              the host's first
//      │── kJoin: JobJoin ───────────────────►│ or it closes the connection
//      │◄─ kLook: ViewQuestion ───────────────│
//      │── kViews: HostViews ────────────────►│
//      │◄─ kSignal: int ──────────────────────│ which its node is to get
//
// The numbers of the kinds, and a request's first field, stay as they are from version to version,
// so that commands of one get a sentence from jobs of another.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/codec.hpp"
#include "weft/watch/node_view.hpp"

namespace weft {

enum class JobMessage : std::uint8_t {
  kAskState = 1,
  kAskSignal,
  kState,
  kDone,
  kRefused,  // the bytes are a sentence
  kJoin,
  kLook,
  kViews,
  kSignal,
};

struct JobRequest {
  std::string version;  // of the asking command
  int signal = 0;       // with kAskSignal
  bool texts = false;   // with kAskState: also places and names, as ViewQuestion has it
  WEFT_FIELDS(self.version, self.signal, self.texts)
};

struct JobJoin {
  std::string version;  // of the task
  unsigned node = 0;    // its node's number
  WEFT_FIELDS(self.version, self.node)
};

enum class JobPhase : std::uint8_t { kRunning, kStopped, kEnding };

struct ObservedHost {
  std::string name;            // as the user named it
  bool answered = false;       // in time; else of its nodes there are but the numbers
  std::uint64_t taken_us = 0;  // when, by the host's own clock: for differences
  std::vector<NodeView> nodes;
  WEFT_FIELDS(self.name, self.answered, self.taken_us, self.nodes)
};

struct JobState {
  pid_t pid = 0;  // of the launcher
  std::vector<std::string> command;
  JobPhase phase = JobPhase::kRunning;
  std::uint64_t started_ms = 0;  // since 1970
  std::uint64_t age_ms = 0;
  unsigned nodes = 0;               // of the whole job; its launcher may see fewer
  std::vector<ObservedHost> hosts;  // in the order of their nodes
  WEFT_FIELDS(self.pid, self.command, self.phase, self.started_ms, self.age_ms, self.nodes,
              self.hosts)
};

}  // namespace weft
