// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace weft::pthread {

enum class PendingSignals : std::uint8_t {
  kNone,
  kArrived,  // one that the thread does not block has come just now
  kBlocked,  // one was sent to this very thread, which blocks it
};

// Of the calling thread, which lets no signals in now and else blocks these (a bit for each, the
// lowest one for signal 1). Signals to the process are any thread's, and not meant.
[[nodiscard]] PendingSignals pending_signals(std::uint64_t blocked);

}  // namespace weft::pthread
