// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ends of the program without exit: _exit, abort and quick_exit write back what is in mapped files,
// as in one process the kernel's pages are the files'. Signals: maps/sudden_ends.hpp.
#include <stdlib.h>
#include <unistd.h>

#include "libc/interposition/interpose.hpp"
#include "maps/start.hpp"
#include "node/exit_handlers.hpp"
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

}  // namespace

void prepare_quick_exit() {
  (void)WEFT_REAL(__cxa_at_quick_exit)([](void*) { write_back(); }, nullptr);
}

WEFT_ENTRY(void, _exit, int status) {
  write_back();
  WEFT_REAL(_exit)(status);
}
WEFT_ENTRY(void, _Exit, int status) {
  write_back();
  WEFT_REAL(_exit)(status);
}
WEFT_ENTRY(void, abort, void) {
  write_back();
  WEFT_REAL(abort)();
}

}  // namespace weft
