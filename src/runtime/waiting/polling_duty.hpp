// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who polls the transport at present: threads of the program that wait, or else the service thread.
// While some thread drives, the service thread stands back: the transport is not armed then, so
// that its peers need not wake anybody, and the service thread looks now and then whether it must
// take over again. A thread that goes to sleep tells it.
//
// While the threads compute, the transport is armed, but mostly for loud messages alone: for
// requests. Quiet ones, such as arrivals at a barrier, are needed by nobody then. None is missed,
// as one of these holds whenever the node awaits something that may come quietly:
//
// - A thread drives: it polls for both at every turn (where nothing is awaited, it looks for quiet
//   ones at some). It was the one that began to wait, or came on its way.
// - A thread has stopped driving, or has worked without waiting: rouse() has rung.
// - A thread sleeps: Sleeping has rung.
// - The service thread has been rung for, or is awake: it takes a turn. It finds under the driver's
//   lock what the node awaits, and that a thread sleeps, and arms for all messages then.
//
// The bell is not missed either. Who rings has noted first what it rings for, and looks then how
// the service thread is armed; the service thread says how before it lets go of the lock, and looks
// who sleeps before it says so. All that is sequentially consistent.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "runtime/waiting/doorbell.hpp"

namespace weft {

class PollingDuty {
 public:
  // What the service thread sleeps for.
  enum class Armed : std::uint8_t { kNot, kForLoud, kForAll };

  // While it lives, the calling thread polls.
  class Driving {
   public:
    // A handler that interrupts one of them here takes the thread for driving rather than not.
    explicit Driving(PollingDuty& duty) : duty_(duty) {
      driving_here = driving_here + 1;
      duty_.driving_.fetch_add(kBegun + 1);
    }
    ~Driving() {
      duty_.driving_.fetch_sub(1);
      driving_here = driving_here - 1;
      duty_.rouse();
    }
    Driving(const Driving&) = delete;
    Driving& operator=(const Driving&) = delete;

   private:
    PollingDuty& duty_;
  };

  // While it lives, nobody counts on the calling thread to poll: a handler of the program has
  // interrupted it, and may compute, or wait for a message itself.
  class Suspended {
   public:
    explicit Suspended(PollingDuty& duty) : duty_(duty), count_(std::exchange(driving_here, 0)) {
      if (count_ == 0) return;
      duty_.driving_.fetch_sub(count_);
      duty_.rouse();
    }
    ~Suspended() {
      if (count_ != 0) duty_.driving_.fetch_add(count_);
      driving_here = count_;
    }
    Suspended(const Suspended&) = delete;
    Suspended& operator=(const Suspended&) = delete;

   private:
    PollingDuty& duty_;
    const unsigned count_;
  };

  // While it lives, the calling thread sleeps, and the service thread looks often.
  class Sleeping {
   public:
    explicit Sleeping(PollingDuty& duty) : duty_(duty) {
      duty_.asleep_.fetch_add(1);
      if (duty_.armed_.load() != Armed::kForAll) duty_.doorbell_.ring();
    }
    ~Sleeping() { duty_.asleep_.fetch_sub(1); }
    Sleeping(const Sleeping&) = delete;
    Sleeping& operator=(const Sleeping&) = delete;

   private:
    PollingDuty& duty_;
  };

  // Threads that wait and do not poll.
  [[nodiscard]] unsigned sleepers() const { return asleep_.load(); }
  [[nodiscard]] bool has_sleepers() const { return sleepers() > 0; }

  // Called by who stops polling, or works without waiting, under the lock or not: what the network
  // has not taken yet needs somebody who polls, and so do quiet messages that the node awaits.
  void rouse() {
    if (sends_need_polling_.load(std::memory_order_relaxed) || misses_quiet()) doorbell_.ring();
  }
  // Transport::needs_polling(), when last looked.
  void note_sends(bool need_polling) {
    sends_need_polling_.store(need_polling, std::memory_order_relaxed);
  }
  // Whether the node awaits what may come quietly. Under the driver's lock.
  void note_awaits(bool awaits) {
    if (awaits_quiet_.load(std::memory_order_relaxed) != awaits) awaits_quiet_.store(awaits);
  }

  // --- for the service thread ---
  [[nodiscard]] bool is_taken() const { return driving_now() > 0; }
  // How often threads have begun to drive (StandingBack).
  [[nodiscard]] std::uint64_t times_begun() const { return driving_.load() / kBegun; }
  [[nodiscard]] bool needs_frequent_looks() const {
    return has_sleepers() || sends_need_polling_.load(std::memory_order_relaxed);
  }
  // It need arm for no more than loud messages. Under the driver's lock.
  [[nodiscard]] bool awaits_quiet() const { return has_sleepers() || awaits_quiet_.load(); }
  // It sleeps until there is an event, or does so no more.
  void set_armed(Armed armed) { armed_.store(armed); }
  // Wakes it.
  [[nodiscard]] Doorbell& doorbell() { return doorbell_; }

 private:
  static constexpr std::uint64_t kBegun = std::uint64_t{1} << 24;

  [[nodiscard]] std::uint64_t driving_now() const { return driving_.load() % kBegun; }
  [[nodiscard]] bool misses_quiet() const {
    return awaits_quiet_.load() && armed_.load() == Armed::kForLoud && driving_now() == 0;
  }

  // How often the calling thread is driving, one wait inside the other.
  static inline constinit thread_local unsigned driving_here = 0;

  std::atomic<std::uint64_t> driving_{0};        // threads that poll; above, how often they began
  std::atomic<unsigned> asleep_{0};              // see sleepers
  std::atomic<bool> sends_need_polling_{false};  // see note_sends
  std::atomic<bool> awaits_quiet_{false};        // see note_awaits
  std::atomic<Armed> armed_{Armed::kNot};        // until an event
  Doorbell doorbell_;
};

}  // namespace weft
