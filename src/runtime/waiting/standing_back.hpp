// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the service thread leaves messages to threads that drive again and again. A program that
// passes messages to and fro waits for most of the time, but not always: a look in between finds
// nobody driving. If the service thread armed the transport then, the next message would wake it,
// and it would take the processor from the thread that is about to wait for that message.
//
// Threads drive often if they begin to as often as the service thread looks at most: no message
// waits longer for them than for it. Even so it arms, as it need not look then, until a message
// wakes it: at barriers, say, none does.
#pragma once

#include <cstdint>
#include <utility>

#include "runtime/waiting/look_pause.hpp"

namespace weft {

class StandingBack {
 public:
  // At each look: how often threads have begun to drive, of all time, and whether a message has
  // woken the service thread. Whether it is to stand back: if not woken, as it then has the
  // processor already.
  [[nodiscard]] bool at_look(std::uint64_t begun, std::int64_t now_ns, bool is_woken) {
    const bool is_often = drive_often(begun, now_ns);
    if (!is_often || is_woken) wakes_in_vain_ = is_often;
    return wakes_in_vain_ && !is_woken;
  }

 private:
  // Since the look before.
  [[nodiscard]] bool drive_often(std::uint64_t begun, std::int64_t now_ns) {
    const std::uint64_t times = begun - std::exchange(begun_, begun);
    const auto took_ns = static_cast<std::uint64_t>(now_ns - std::exchange(looked_ns_, now_ns));
    return times > 0 && times >= took_ns / LookPause::kLeastNanoseconds;
  }

  std::uint64_t begun_ = 0;
  std::int64_t looked_ns_ = 0;
  bool wakes_in_vain_ =
      false;  // a message has woken it while threads drove often, as they still do
};

}  // namespace weft
