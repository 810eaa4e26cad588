// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One blocking operation of one thread; lives on that thread's runtime stack until it is done. The
// engine knows it by its address.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "base/futex.hpp"
#include "base/ids.hpp"
#include "protocol/interface/effects.hpp"

namespace weft {

class Wait {
 public:
  [[nodiscard]] WaitId id() { return WaitId(reinterpret_cast<std::uintptr_t>(this)); }
  static Wait& of(WaitId id) { return *reinterpret_cast<Wait*>(id.value()); }

  void begin_again() { state_ = kRunning; }
  // By any thread. What it wrote into the fields below, the waiting thread sees.
  void finish() {
    if (state_.exchange(kDone, std::memory_order_acq_rel) == kSleeping) futex_wake_all(state_);
  }
  [[nodiscard]] bool is_done() const { return state_.load(std::memory_order_acquire) == kDone; }
  // Blocks until it is done.
  void sleep_until_done() {
    std::uint32_t running = kRunning;
    state_.compare_exchange_strong(running, kSleeping);
    while (!is_done()) futex_wait(state_, kSleeping);
  }
  // Or until the time (of now_ns) has come.
  void sleep_until(std::int64_t until_ns) {
    std::uint32_t running = kRunning;
    state_.compare_exchange_strong(running, kSleeping);
    while (!is_done() && now_ns() < until_ns) futex_wait_until(state_, kSleeping, until_ns);
    std::uint32_t sleeping = kSleeping;
    state_.compare_exchange_strong(sleeping, kRunning);
  }
  // Changes when it is done; the caller waits while it is kRunning.
  [[nodiscard]] const std::atomic<std::uint32_t>& state() const { return state_; }
  static constexpr std::uint32_t kRunning = 0;

  // What comes of it.
  AtomicResult atomic_result;
  bool taken = false;
  bool tries_again = false;  // see Effects::try_again
  std::uint8_t votes = 0;
  std::vector<Contribution> contributions;
  std::uint64_t count = 0;    // of a sequencer
  std::uint64_t right = 0;    // to add under a lock
  bool ends_in_rest = false;  // a barrier: see RestState
  Bytes reply;

 private:
  // Only a waiter that sleeps costs the finisher a system call.
  static constexpr std::uint32_t kDone = 1, kSleeping = 2;

  std::atomic<std::uint32_t> state_{kRunning};
};

}  // namespace weft
