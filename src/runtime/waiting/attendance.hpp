// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long the service thread stays awake after a message: as long as a thread of the program
// would that waits, and only while it has a processor to itself: this node's threads sleep, and it
// has not just woken one. To be woken takes the sender and this thread longer than to take the
// message and to answer.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/waiting/patience.hpp"

namespace weft {

class Attendance {
 public:
  explicit Attendance(const WaitingTimes& times) : times_(times) {}

  // A turn at the messages is over.
  void end_turn(bool have_come, bool has_processor, std::int64_t now_ns) {
    if (have_come) since_ns_ = now_ns;
    if (!has_processor) leave();
  }
  void leave() { since_ns_.reset(); }
  // Whether there is another turn before the thread sleeps.
  [[nodiscard]] bool lasts() const { return since_ns_.has_value(); }
  // When that is due. kAfterSleep: it lasts no longer.
  [[nodiscard]] NextTurn next(std::int64_t now_ns, bool is_crowded) {
    const NextTurn when =
        lasts() ? next_turn(times_, now_ns - *since_ns_, is_crowded) : NextTurn::kAfterSleep;
    if (when == NextTurn::kAfterSleep) leave();
    return when;
  }

 private:
  const WaitingTimes& times_;
  std::optional<std::int64_t> since_ns_;  // the last message came
};

}  // namespace weft
