// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/page_faults.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cerrno>

#include "base/assert.hpp"

namespace weft {
namespace {

// The engine, the transport and UCX run on it.
constexpr std::size_t kSignalStackBytes = std::size_t{1} << 18;

Driver* fault_driver = nullptr;
const Layout* fault_layout = nullptr;

bool is_write(const ucontext_t* context) {
#if defined(__x86_64__)
  constexpr greg_t kWriteBit = 2;  // of the page-fault error code; Intel SDM volume 3, 4.7
  return (context->uc_mcontext.gregs[REG_ERR] & kWriteBit) != 0;
#else
#error "say how this architecture tells a write fault from a read fault"
#endif
}

// Lets the faulting instruction run again with the default action: an ordinary crash.
void crash(int signal_number) {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sigaction(signal_number, &action, nullptr);
}

void on_signal(int signal_number, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  const std::optional<GlobalOffset> offset = fault_driver->offset_of(info->si_addr);
  if (info->si_code <= 0 || !offset || fault_layout->is_guard(info->si_addr)) {
    crash(signal_number);
    if (info->si_code <= 0) raise(signal_number);
  } else {
    fault_driver->on_fault_here(offset->page(), is_write(static_cast<ucontext_t*>(context)));
  }
  errno = saved_errno;
}

}  // namespace

void handle_fault_signals(Driver& driver, const Layout& layout) {
  fault_driver = &driver;
  fault_layout = &layout;
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int signal_number : {SIGSEGV, SIGBUS}) {
    WEFT_ASSERT(sigaction(signal_number, &action, nullptr) == 0, "errno {}", errno);
  }
}

void ensure_signal_stack() {
  thread_local bool done = false;
  if (done) return;
  done = true;
  void* memory = mmap(nullptr, kSignalStackBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  WEFT_ASSERT(memory != MAP_FAILED, "errno {}", errno);
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = kSignalStackBytes;
  WEFT_ASSERT(sigaltstack(&stack, nullptr) == 0, "errno {}", errno);
}

}  // namespace weft
