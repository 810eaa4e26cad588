// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether threads of the program drive so often that the service thread need not. A program that
// passes messages to and fro waits for most of the time, but not always: a look in between finds
// nobody driving. The thread that then polls, or is woken by the next message, takes the processor
// from the one that is about to wait for that message.
//
// It is often enough if threads begin to drive as often as the service thread looks at most: no
// message waits longer for them than for it.
#pragma once

#include <cstdint>
#include <utility>

#include "runtime/waiting/look_pause.hpp"

namespace weft {

class DrivingRate {
 public:
  // At each look: how often threads have begun to drive, of all time. Whether they have done so
  // often since the look before.
  [[nodiscard]] bool is_high(std::uint64_t begun, std::int64_t now_ns) {
    const std::uint64_t times = begun - std::exchange(begun_, begun);
    const auto took_ns = static_cast<std::uint64_t>(now_ns - std::exchange(looked_ns_, now_ns));
    return times > 0 && times >= took_ns / LookPause::kLeastNanoseconds;
  }

 private:
  std::uint64_t begun_ = 0;
  std::int64_t looked_ns_ = 0;
};

}  // namespace weft
