// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which flushes of a thread need not ask other nodes if the engine knows of nothing to acquire
// (protocol/operations.md, 21): those near an atomic operation that has stored or found something.
// A thread that waits by flushes alone has to go on asking, or it would not see the plain flag that
// it waits for. One that does both asks now and then.
#pragma once

#include <cstdint>
#include <optional>

#include "protocol/interface/effects.hpp"

namespace weft {

class ConfirmingFlushes {
 public:
  // After an operation that has synchronised: two around it, and two around the next.
  static constexpr unsigned kMost = 4;
  // Since the thread has asked last, in nanoseconds: so late it may see a plain flag.
  static constexpr std::int64_t kLongest = 10'000'000;

  // The thread's atomic operation may have told others something, or told it something of others.
  void note_synchronised() { left_ = kMost; }
  // The thread flushes.
  [[nodiscard]] FlushKind next(std::int64_t now_ns) {
    if (left_ > 0 && asked_ns_ && now_ns - *asked_ns_ < kLongest) {
      --left_;
      return FlushKind::kConfirms;
    }
    asked_ns_ = now_ns;
    return FlushKind::kAsks;
  }

 private:
  unsigned left_ = 0;
  std::optional<std::int64_t> asked_ns_;
};

}  // namespace weft
