// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wakes threads that wait for memory to change, in any process that has the memory: whoever changes
// it rings. While nobody waits, that costs a load, and while those who wait are awake, no system
// call.
//
//   waiting thread                          changing thread
//   waiters + 1                             change
//   seen = rung, then look                  waiters > 0: rung + 1
//   sleepers + 1, sleep while rung is seen  sleepers > 0: wake
//
// All zero to begin with.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/futex.hpp"

namespace weft::remote {

class Bell {
 public:
  // While it lives, rings are counted for the calling thread.
  class Waiting {
   public:
    explicit Waiting(Bell& bell) : bell_(bell) { bell_.waiters_.fetch_add(1); }
    ~Waiting() { bell_.waiters_.fetch_sub(1); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

   private:
    Bell& bell_;
  };

  // After an atomic read-modify-write. After a plain store, a thread that begins to wait at that
  // moment might not be seen; it looks again within a second.
  void ring() {
    if (waiters_.load() != 0) ring_for_waiters();
  }

  // For a thread that is Waiting: changes with each ring.
  [[nodiscard]] const std::atomic<std::uint32_t>& rung() const { return rung_; }
  // Returns when it has rung since `seen` was read, or for no reason.
  void sleep(std::uint32_t seen) {
    sleepers_.fetch_add(1);
    futex_wait_shared(rung_, seen);
    sleepers_.fetch_sub(1);
  }

 private:
  void ring_for_waiters() {
    rung_.fetch_add(1);
    if (sleepers_.load() != 0) futex_wake_all_shared(rung_);
  }

  std::atomic<std::uint32_t> rung_{0}, waiters_{0}, sleepers_{0};
};

}  // namespace weft::remote
