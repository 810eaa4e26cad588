// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/stacks/signal_stack.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "base/assert.hpp"
#include "base/threads/own_memory.hpp"

namespace weft {

void ensure_signal_stack() {
  // The program's handlers run on it and, when they fault, the engine, the transport and UCX.
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  thread_local bool done = false;
  if (done) return;
  done = true;
  void* const memory = map_own_memory(kBytes);
  WEFT_ASSERT(memory != nullptr, "errno {}", errno);
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = kBytes;
  // The kernel's: the C library's name for it is taken over for the program.
  WEFT_ASSERT(syscall(SYS_sigaltstack, &stack, nullptr) == 0, "errno {}", errno);
}

}  // namespace weft
