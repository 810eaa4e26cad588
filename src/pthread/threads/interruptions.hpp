// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "base/codec.hpp"

namespace weft::pthread {

// How a thread takes what interrupts it.
struct Interruptions {
  std::uint64_t blocked = 0;  // a bit for each signal, the lowest one for signal 1
  int cancel_state = 0, cancel_type = 0;
  WEFT_FIELDS(self.blocked, self.cancel_state, self.cancel_type)
};

// Signals, but for faults, and cancellation come to the calling thread no more, until they are let
// in again. Returns how it was before.
Interruptions seclude();
void let_in(const Interruptions& interruptions);

}  // namespace weft::pthread
