// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What wakes the one thread that waits for it among other descriptors. Only the first ring since it
// was answered costs a system call.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "base/assert.hpp"
#include "base/threads/held_cancellation.hpp"

namespace weft {

class Doorbell {
 public:
  Doorbell() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    WEFT_ASSERT(descriptor_ >= 0, "errno {}", errno);
  }
  ~Doorbell() { close(descriptor_); }
  Doorbell(const Doorbell&) = delete;
  Doorbell& operator=(const Doorbell&) = delete;

  // Readable from the first ring on until it is answered.
  [[nodiscard]] int descriptor() const { return descriptor_; }

  // What the caller wrote before, the thread that answers sees. Never blocks.
  void ring() {
    if (rung_.exchange(true)) return;
    const CancellationHeld held;  // who rings is about to wait, with an answer on its way
    eventfd_write(descriptor_, 1);
  }

  // By the thread that waits, when the descriptor is readable, before it looks what there is to do.
  // The descriptor is read first: a ring between the two finds the bell rung, and is seen by the
  // exchange. The other way round, the read would swallow that ring, and with it all later ones.
  void answer() {
    eventfd_t rings;
    eventfd_read(descriptor_, &rings);
    rung_.exchange(false);
  }

 private:
  const int descriptor_;
  std::atomic<bool> rung_{false};
};

}  // namespace weft
