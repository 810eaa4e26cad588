// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SIGSEGV and SIGBUS in a process whose sigaction nobody takes over: others may set handlers before
// this library and after it (Python's faulthandler does both).
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "binding/process.hpp"

namespace weft::binding {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS};

using Handler = void (*)(int, siginfo_t*, void*);
Handler ours = nullptr;

bool is_ours(int signal) {
  struct sigaction now = {};
  sigaction(signal, nullptr, &now);
  return ours != nullptr && (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == ours;
}

}  // namespace

// The handler runs where the thread was: an alternate stack, if it has one, is too small for what a
// fault sets going. Nobody's stack is shared, so there is no need for one.
void keep_faults(const Region& region, SignalFault on_fault) {
  if (is_ours(SIGSEGV) && is_ours(SIGBUS)) return;
  for (const int signal : kSignals) {
    // It would be passed on to itself.
    const struct sigaction others = program_action(signal);
    if (is_ours(signal)) sigaction(signal, &others, nullptr);
  }
  const Status status = install_fault_signals(region, on_fault);
  if (!status) {
    std::fprintf(stderr, "weft: %s\n", status.error().c_str());
    std::exit(1);
  }
  for (const int signal : kSignals) {
    struct sigaction action = {};
    sigaction(signal, nullptr, &action);
    ours = action.sa_sigaction;
    action.sa_flags &= ~SA_ONSTACK;
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace weft::binding
