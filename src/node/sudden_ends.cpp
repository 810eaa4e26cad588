// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ends of the program without exit: _exit, abort and quick_exit write back what is in mapped files,
// as in one process the kernel's pages are the files'. Signals: maps/sudden_ends.hpp. Whichever
// node it is, the launcher is told the status, and ends the other nodes: else the end of one node's
// process would be a failure of the job.
#include <stdlib.h>
#include <unistd.h>

#include "libc/interposition/interpose.hpp"
#include "maps/start.hpp"
#include "node/exit_handlers.hpp"
#include "process/lifetime/endings.hpp"
#include "process/requests/calls.hpp"
#include "runtime/job/job.hpp"
#include "stacks/stacks.hpp"

extern "C" int __cxa_at_quick_exit(void (*handler)(void*), void* library);

namespace weft {
namespace {

// Not for the child of a fork or vfork.
void write_back() {
  if (this_node() == nullptr || !is_on_program_stack() || !process::is_process_of_node()) return;
  on_runtime_stack([] { maps::finish_maps(*this_node(), true); });
}

// `caller`: the program's code, also in a handler of a signal. Weft's own ends are told elsewhere.
void end_all_nodes(int status, const void* caller) {
  write_back();
  const Node* const node = process::job_of_caller(caller);
  if (node == nullptr || !process::is_process_of_node() || follows_node_0()) return;
  on_runtime_stack([=] { leave_job(status, true); });
}

}  // namespace

void prepare_quick_exit() {
  (void)WEFT_REAL(__cxa_at_quick_exit)(
      [](void*) { end_all_nodes(process::status_of_quick_exit(), __builtin_return_address(0)); },
      nullptr);
}

WEFT_ENTRY(void, _exit, int status) {
  end_all_nodes(status, __builtin_return_address(0));
  WEFT_REAL(_exit)(status);
}
WEFT_ENTRY(void, _Exit, int status) {
  end_all_nodes(status, __builtin_return_address(0));
  WEFT_REAL(_exit)(status);
}
WEFT_ENTRY(void, abort, void) {
  write_back();
  WEFT_REAL(abort)();
}

}  // namespace weft
