// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/moving/pending_signals.hpp"

#include <signal.h>

#include <fstream>
#include <string>

#include "base/held_signals.hpp"
#include "base/threads/own_calls.hpp"
#include "pthread/threads/birth.hpp"

namespace weft::pthread {
namespace {

// sigpending does not tell them from the process's. Rarely needed.
std::uint64_t pending_for_this_thread() {
  const OwnCalls own_calls;
  std::ifstream status("/proc/thread-self/status");
  for (std::string word; status >> word;) {
    std::uint64_t bits = 0;
    if (word == "SigPnd:" && status >> std::hex >> bits) return bits;
  }
  return 0;
}

}  // namespace

PendingSignals pending_signals(std::uint64_t blocked) {
  if (signals_waiting) return PendingSignals::kArrived;  // held back by Weft, not by the kernel
  sigset_t pending;
  sigpending(&pending);
  const std::uint64_t bits = bits_of(pending);
  if ((bits & ~blocked) != 0) return PendingSignals::kArrived;
  if (bits == 0 || pending_for_this_thread() == 0) return PendingSignals::kNone;
  return PendingSignals::kBlocked;
}

}  // namespace weft::pthread
