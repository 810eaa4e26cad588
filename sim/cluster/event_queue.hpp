// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens next in simulated time. Events of one time run in the order they were added, so
// that a run replays.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

namespace weft::sim {

struct Event {
  enum class Kind : std::uint8_t { kDeliver, kStep } kind = Kind::kStep;
  std::uint32_t subject = 0;  // a channel, or a thread
  std::uint64_t time = 0;
  std::uint64_t order = 0;
};

class EventQueue {
 public:
  void add(Event::Kind kind, std::uint32_t subject, std::uint64_t time) {
    events_.push({.kind = kind, .subject = subject, .time = time, .order = ++last_order_});
  }
  [[nodiscard]] bool empty() const { return events_.empty(); }
  [[nodiscard]] const Event& top() const { return events_.top(); }
  // Moves on to the next event.
  Event next() {
    const Event event = events_.top();
    events_.pop();
    now_ = event.time;
    return event;
  }
  [[nodiscard]] std::uint64_t now() const { return now_; }

 private:
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.time != b.time ? a.time > b.time : a.order > b.order;
    }
  };
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::uint64_t now_ = 0, last_order_ = 0;
};

}  // namespace weft::sim
