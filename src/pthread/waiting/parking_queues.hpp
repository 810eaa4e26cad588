// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The queues that one node keeps (parking.hpp). Nothing blocks under its lock.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/ids.hpp"
#include "base/signal_safe_mutex.hpp"

namespace weft::pthread {

// The name of a queue.
using ParkingKey = std::uint64_t;
// In a name: node 0 keeps the queue, and sleepers may be moved to another one of this kind.
inline constexpr ParkingKey kKeptByNode0 = 1;

// A sleeper and a wake match if they have a bit in common.
inline constexpr std::uint32_t kAnyBits = UINT32_MAX;

class ParkingQueues {
 public:
  struct Waiter {
    NodeId node;
    std::uint64_t sleeper;  // its address there
    std::uint32_t bits = kAnyBits;
    bool is_asleep = false;  // and counted
    std::uint64_t arrival = 0;
    bool operator==(const Waiter& other) const {
      return node == other.node && sleeper == other.sleeper;
    }
  };
  // Which sleepers of a queue are meant: the first ones of these.
  struct Choice {
    std::uint64_t count;
    std::uint32_t bits = kAnyBits;
    std::uint64_t before = UINT64_MAX;  // arrivals(), when they were there already
  };

  void add(ParkingKey key, Waiter waiter) {
    const std::lock_guard guard(lock_);
    waiter.arrival = arrivals_++;
    by_key_[key].push_back(waiter);
  }
  // How many have come, of all time.
  [[nodiscard]] std::uint64_t arrivals() {
    const std::lock_guard guard(lock_);
    return arrivals_;
  }
  // False: it has been woken.
  bool note_asleep(ParkingKey key, const Waiter& waiter) {
    const std::lock_guard guard(lock_);
    const Place there = find(key, waiter);
    if (there.queue == by_key_.end()) return false;
    there.waiter->is_asleep = true;
    return true;
  }
  bool remove(ParkingKey key, const Waiter& waiter) {
    const std::lock_guard guard(lock_);
    const Place there = find(key, waiter);
    if (there.queue == by_key_.end()) return false;
    there.queue->second.erase(there.waiter);
    if (there.queue->second.empty()) by_key_.erase(there.queue);
    return true;
  }
  std::vector<Waiter> pop(ParkingKey key, const Choice& choice) {
    const std::lock_guard guard(lock_);
    return take(key, choice);
  }
  // Takes the first ones of a queue, and moves up to `most` of those behind them to another one.
  // Both of the kind kKeptByNode0. Returns how many it has moved.
  std::uint64_t pop_and_move(ParkingKey key, const Choice& choice, ParkingKey to,
                             std::uint64_t most, std::vector<Waiter>& popped) {
    const std::lock_guard guard(lock_);
    popped = take(key, choice);
    const std::vector<Waiter> moved = take(key, {.count = most, .before = choice.before});
    if (moved.empty()) return 0;
    std::deque<Waiter>& queue = by_key_[to];
    queue.insert(queue.end(), moved.begin(), moved.end());
    return moved.size();
  }

 private:
  using Queues = std::unordered_map<ParkingKey, std::deque<Waiter>>;
  struct Place {
    Queues::iterator queue;  // the end: it is in none
    std::deque<Waiter>::iterator waiter;
  };

  std::vector<Waiter> take(ParkingKey key, const Choice& choice) {
    std::vector<Waiter> first;
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return first;
    std::deque<Waiter>& queue = found->second;
    for (auto each = queue.begin(); each != queue.end() && first.size() < choice.count;) {
      if ((each->bits & choice.bits) == 0 || each->arrival >= choice.before) {
        ++each;
        continue;
      }
      first.push_back(*each);
      each = queue.erase(each);
    }
    if (queue.empty()) by_key_.erase(found);
    return first;
  }
  // One that is not in its own queue is in none, or has been moved: that is rare, and queues are
  // not more than sleeping threads.
  Place find(ParkingKey key, const Waiter& waiter) {
    const auto place_in = [&](Queues::iterator queue) -> Place {
      for (auto each = queue->second.begin(); each != queue->second.end(); ++each) {
        if (*each == waiter) return {queue, each};
      }
      return {by_key_.end(), {}};
    };
    if (const auto own = by_key_.find(key); own != by_key_.end()) {
      const Place there = place_in(own);
      if (there.queue != by_key_.end()) return there;
    }
    if ((key & kKeptByNode0) == 0) return {by_key_.end(), {}};
    for (auto queue = by_key_.begin(); queue != by_key_.end(); ++queue) {
      if ((queue->first & kKeptByNode0) == 0) continue;
      const Place there = place_in(queue);
      if (there.queue != by_key_.end()) return there;
    }
    return {by_key_.end(), {}};
  }

  SignalSafeMutex lock_;
  Queues by_key_;
  std::uint64_t arrivals_ = 0;
};

}  // namespace weft::pthread
