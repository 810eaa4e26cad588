// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "libc/signals/fatal_signals.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <span>

#include "base/held_signals.hpp"
#include "libc/interposition/hooks.hpp"
#include "libc/interposition/interpose.hpp"
#include "libc/signals/handler_admission.hpp"
#include "libc/signals/signals.hpp"

namespace weft::libc {
namespace {

// SIGSEGV and SIGBUS are memory/watching/fault_signal.hpp's. Real-time signals have no use without
// a handler.
constexpr int kFatal[] = {SIGHUP,  SIGINT,    SIGQUIT, SIGILL,  SIGTRAP, SIGABRT,   SIGFPE,
                          SIGUSR1, SIGUSR2,   SIGPIPE, SIGALRM, SIGTERM, SIGSTKFLT, SIGXCPU,
                          SIGXFSZ, SIGVTALRM, SIGPROF, SIGPOLL, SIGPWR,  SIGSYS};

// Those of them that dump.
constexpr int kDumping[] = {SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGXCPU, SIGXFSZ, SIGSYS};

constinit std::atomic<void (*)()> before = nullptr, before_dump = nullptr;
constinit std::atomic<long> ending_thread = 0;

bool is_among(int number, std::span<const int> signals) {
  return std::ranges::find(signals, number) != signals.end();
}

// So that they come here, where the program has the default.
void adopt(std::span<const int> signals) {
  for (const int number : signals) {
    struct sigaction present = {};
    WEFT_REAL(sigaction)(number, nullptr, &present);
    const bool is_default = (present.sa_flags & SA_SIGINFO) == 0 && present.sa_handler == SIG_DFL;
    if (is_default) adopt_action(number, present);
  }
}

}  // namespace

bool is_watched(int number) {
  if (before_dump.load() != nullptr && is_among(number, kDumping)) return true;
  return before.load() != nullptr && is_among(number, kFatal);
}

void watch_fatal_signals(void (*before_end)()) {
  if (before.exchange(before_end) == nullptr) adopt(kFatal);
}

void watch_core_dumps(void (*show)()) {
  before_dump.store(show);
  adopt(kDumping);
}

void prepare_end_by(int number) {
  void (*const before_end)() = before.load();
  const Hooks* const node = hooks();
  if (before_end == nullptr || node == nullptr || in_forked_child || signals_held > 0) return;
  long nobody = 0;
  const long self = ::syscall(SYS_gettid);
  if (ending_thread.compare_exchange_strong(nobody, self)) {
    return node->run_handler([](void* f) { reinterpret_cast<void (*)()>(f)(); },
                             reinterpret_cast<void*>(before_end));
  }
  const bool is_own = is_own_doing(number) || number == SIGSEGV || number == SIGBUS;
  if (!is_own || nobody == self) return;
  for (;;) ::pause();
}

void end_by(int number) {
  prepare_end_by(number);
  void (*const show)() = before_dump.load();
  if (show != nullptr && is_among(number, kDumping)) show();
  struct sigaction plain = {};
  WEFT_REAL(sigaction)(number, &plain, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  ::syscall(SYS_tgkill, ::syscall(SYS_getpid), ::syscall(SYS_gettid), number);
  WEFT_REAL(pthread_sigmask)(SIG_UNBLOCK, &only, nullptr);
}

}  // namespace weft::libc
