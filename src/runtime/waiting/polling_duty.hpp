// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who polls the transport at present: threads of the program that wait, or else the service thread.
// While some thread drives, the service thread stands back: the transport is not armed then, so
// that its peers need not wake anybody, and the service thread looks now and then whether it must
// take over again. A thread that goes to sleep tells it.
#pragma once

#include <atomic>
#include <utility>

#include "runtime/waiting/doorbell.hpp"

namespace weft {

class PollingDuty {
 public:
  // While it lives, the calling thread polls.
  class Driving {
   public:
    // A handler that interrupts one of them here takes the thread for driving rather than not.
    explicit Driving(PollingDuty& duty) : duty_(duty) {
      driving_here = driving_here + 1;
      duty_.driving_.fetch_add(1);
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
    const int count_;
  };

  // While it lives, the calling thread sleeps, and the service thread looks often.
  class Sleeping {
   public:
    explicit Sleeping(PollingDuty& duty) : duty_(duty) {
      duty_.asleep_.fetch_add(1);
      if (!duty_.is_armed_.load()) duty_.doorbell_.ring();
    }
    ~Sleeping() { duty_.asleep_.fetch_sub(1); }
    Sleeping(const Sleeping&) = delete;
    Sleeping& operator=(const Sleeping&) = delete;

   private:
    PollingDuty& duty_;
  };

  // Called by who stops polling, or sends without waiting, under the lock or not: what the network
  // has not taken yet needs somebody who polls.
  void rouse() {
    if (!sends_need_polling_.load(std::memory_order_relaxed)) return;
    doorbell_.ring();
  }
  // Transport::needs_polling(), when last looked.
  void note_sends(bool need_polling) {
    sends_need_polling_.store(need_polling, std::memory_order_relaxed);
  }

  // --- for the service thread ---
  [[nodiscard]] bool is_taken() const { return driving_.load() > 0; }
  [[nodiscard]] bool needs_frequent_looks() const {
    return asleep_.load() > 0 || sends_need_polling_.load(std::memory_order_relaxed);
  }
  // It sleeps until there is an event, or does so no more.
  void set_armed(bool armed) { is_armed_.store(armed); }
  // Wakes it.
  [[nodiscard]] Doorbell& doorbell() { return doorbell_; }

 private:
  // How often the calling thread is driving, one wait inside the other.
  static inline constinit thread_local int driving_here = 0;

  std::atomic<int> driving_{0};                  // threads that poll
  std::atomic<int> asleep_{0};                   // threads that wait and do not poll
  std::atomic<bool> sends_need_polling_{false};  // see note_sends
  std::atomic<bool> is_armed_{false};            // the service thread sleeps until an event
  Doorbell doorbell_;
};

}  // namespace weft
