// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sigset and sigignore of System V, by sigaction and pthread_sigmask, which know the job: the C
// library's own would tell the program of Weft's handlers. (SVID 3, vol. 1, sigset)
#include <signal.h>

#include "libc/interposition/interpose.hpp"
#include "stacks/stacks.hpp"

namespace weft::libc {
namespace {

sighandler_t set(int number, sighandler_t handler) {
  sigset_t one, before;
  sigemptyset(&one);
  if (sigaddset(&one, number) != 0) return SIG_ERR;
  struct sigaction action = {}, old = {};
  action.sa_handler = handler;
  const bool holds = handler == SIG_HOLD;
  if (::sigaction(number, holds ? nullptr : &action, &old) != 0) return SIG_ERR;
  ::pthread_sigmask(holds ? SIG_BLOCK : SIG_UNBLOCK, &one, &before);
  return sigismember(&before, number) == 1 ? SIG_HOLD : old.sa_handler;
}

}  // namespace

// On the runtime stack, as locals are handed to the kernel.
WEFT_ENTRY(sighandler_t, sigset, int number, sighandler_t handler) {
  return on_runtime_stack([=] { return set(number, handler); });
}
WEFT_ENTRY(int, sigignore, int number) {
  return on_runtime_stack([=] {
    struct sigaction action = {};
    action.sa_handler = SIG_IGN;
    return ::sigaction(number, &action, nullptr);
  });
}

}  // namespace weft::libc
