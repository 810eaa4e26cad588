// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/signal_stack.hpp"

#include <signal.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstddef>

#include "base/assert.hpp"

namespace weft {

void ensure_signal_stack() {
  // The engine, the transport and UCX run on it.
  constexpr std::size_t kBytes = std::size_t{1} << 18;
  thread_local bool done = false;
  if (done) return;
  done = true;
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  WEFT_ASSERT(memory != MAP_FAILED, "errno {}", errno);
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = kBytes;
  WEFT_ASSERT(sigaltstack(&stack, nullptr) == 0, "errno {}", errno);
}

}  // namespace weft
