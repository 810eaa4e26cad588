// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A system call that another node makes for this one, since it is about a process or a thread of
// that node's host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "process/requests/calls.hpp"

namespace weft::process {

struct KernelCall {
  long number = 0;  // SYS_...
  long arguments[3] = {};
  int place = -1;          // of the argument that is the address of `memory`; -1: none is
  void* memory = nullptr;  // read, and written if the call changes it
  std::size_t bytes = 0;
};

// The same as it travels.
struct SentKernelCall {
  std::int64_t number = 0, a = 0, b = 0, c = 0;
  std::int32_t place = -1;
  Bytes memory;
  WEFT_FIELDS(self.number, self.a, self.b, self.c, self.place, rest(self.memory))
};

// Blocks. The kernel's result; or -1, with errno set.
long made_by(Node& node, NodeId whom, const KernelCall& call);

// The node of the caller, if `process` is the job's and its number may be another process's on this
// host: then node 0 is asked. Else null, also in the child of a fork.
[[nodiscard]] Node* asks_for_process(const void* caller, long process);

// Ends the job with a sentence, if that is so: nobody can be asked to do this.
void refuse_elsewhere(const void* caller, long process, const char* call);

// When the job's number is known.
void adopt_process_elsewhere();

}  // namespace weft::process
