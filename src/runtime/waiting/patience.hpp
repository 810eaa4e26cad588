// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a thread waits awake before it sleeps: alone for a moment, then offering its processor
// to others at every turn, for whoever it waits for may need it, then no longer. Where offers take
// long (runtime/waiting/crowding.hpp), it sleeps after the first moment. All that is decided by
// time, not by a number of turns, and all times are here.
#pragma once

#include <cstdint>

#include "base/futex.hpp"
#include "runtime/waiting/crowding.hpp"

namespace weft {

struct WaitingTimes {
  std::int64_t awake_ns = 0;    // in vain, before a thread sleeps
  std::int64_t alone_ns = 0;    // of these, before it offers its processor at every turn
  unsigned turns_per_look = 1;  // at the clock
  bool sleeps = true;
};

// For messages, with a processor for each thread. Awake it must be longer than a round trip between
// two nodes that both sleep takes: else, once both sleep, they would for ever after. A message that
// comes while the thread offers its processor is late by half an offer; so it does not begin with
// that before a round trip over TCP between nodes that are awake is over.
inline constexpr WaitingTimes kWaitingForMessages = {
    .awake_ns = 250'000, .alone_ns = 20'000, .turns_per_look = 8};
// For messages, with fewer processors than threads: who waits awake takes the processor from the
// thread that would send the message.
inline constexpr WaitingTimes kWaitingOversubscribed = {
    .awake_ns = 60'000, .alone_ns = 0, .turns_per_look = 8};
// For messages, in tests that count what nodes do while they are awake.
inline constexpr WaitingTimes kWaitingAwake = {.sleeps = false};
// For threads of the same node, at its barrier. They wake a sleeper without a message, so a wait
// need not outlast a round trip. A turn may have offered the processor: the clock is read at each.
inline constexpr WaitingTimes kWaitingForNeighbours = {
    .awake_ns = 60'000, .alone_ns = 3'000, .turns_per_look = 1};
// For an iteration of another thread of the same node, in a doacross loop. After that the thread
// asks to be told, which costs its neighbour an answer; so an iteration of some
// microseconds is waited for awake.
inline constexpr WaitingTimes kWaitingForIteration = {
    .awake_ns = 20'000, .alone_ns = 0, .turns_per_look = 1};

// After so long of it a thread sleeps on a crowded machine.
inline constexpr std::int64_t kCrowdedNanoseconds = 3'000;

enum class NextTurn : std::uint8_t { kAtOnce, kAfterOffer, kAfterSleep };
// After a wait of so long in vain.
[[nodiscard]] constexpr NextTurn next_turn(const WaitingTimes& times, std::int64_t waited_ns,
                                           bool is_crowded) {
  using enum NextTurn;
  if (!times.sleeps) return kAfterOffer;
  if (is_crowded) return waited_ns < kCrowdedNanoseconds ? kAtOnce : kAfterSleep;
  if (waited_ns < times.alone_ns) return kAtOnce;
  return waited_ns > times.awake_ns ? kAfterSleep : kAfterOffer;
}

// One wait of one thread.
class Patience {
 public:
  explicit Patience(const WaitingTimes& times) : times_(times) {}

  // After a turn in which something came.
  void renew() { turns_ = 0; }
  // After one in which nothing did.
  void count_turn() {
    if (turns_ == 0) {
      begin_ns_ = now_ns_ = now_ns();
    } else if (turns_ % times_.turns_per_look == 0) {
      now_ns_ = now_ns();
    }
    ++turns_;
  }
  // As of the last look at the clock.
  [[nodiscard]] std::int64_t now() const { return now_ns_; }
  // Whether to wait awake any longer; then offers the processor to others where that is due.
  [[nodiscard]] bool lasts() const {
    const NextTurn next = next_turn(times_, now_ns_ - begin_ns_, crowding().is_crowded(now_ns_));
    if (next == NextTurn::kAfterOffer) offer_processor();
    return next != NextTurn::kAfterSleep;
  }

 private:
  const WaitingTimes& times_;
  unsigned turns_ = 0;
  std::int64_t begin_ns_ = 0, now_ns_ = 0;
};

}  // namespace weft
