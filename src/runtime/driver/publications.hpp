// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What node 0 has published and this node's main thread has not taken yet, until the program ends.
// All but seen() and sleep() are called under the driver's lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <utility>

#include "base/bytes.hpp"
#include "base/futex.hpp"

namespace weft {

class Publications {
 public:
  void add(ByteView payload) {
    waiting_.emplace_back(payload.begin(), payload.end());
    signal_.fetch_add(1, std::memory_order_seq_cst);
    if (has_sleeper_.load(std::memory_order_seq_cst)) futex_wake_all(signal_);
  }
  // No more will come.
  void end() {
    ended_ = true;
    signal_.fetch_add(1, std::memory_order_acq_rel);
    futex_wake_all(signal_);
  }
  [[nodiscard]] bool have_ended() const { return ended_; }

  [[nodiscard]] bool empty() const { return waiting_.empty(); }
  // The oldest one; there must be one.
  [[nodiscard]] Bytes take() {
    Bytes payload = std::move(waiting_.front());
    waiting_.pop_front();
    return payload;
  }

  // Changes with each publication, and at the end.
  [[nodiscard]] std::uint32_t seen() const { return signal_.load(std::memory_order_acquire); }
  // Blocks until it has changed since `seen` was read, or for a second. For one thread at a time.
  void sleep(std::uint32_t seen) {
    has_sleeper_.store(true, std::memory_order_seq_cst);
    futex_wait(signal_, seen);
    has_sleeper_.store(false, std::memory_order_relaxed);
  }

 private:
  std::deque<Bytes> waiting_;
  bool ended_ = false;
  std::atomic<std::uint32_t> signal_{0};
  std::atomic<bool> has_sleeper_{false};
};

}  // namespace weft
