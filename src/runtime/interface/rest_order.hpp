// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A publication without a region, for programs whose threads are gathered on node 0
// (pthread/gathering). The other nodes have had threads of the program's own, which count as
// outside threads. Node 0 says that there are none any more, or that there may be again; the
// barrier behind it tells all nodes so. From then on node 0 is alone, or no more (driver/
// alone_state.hpp).
//
//   node 0                               node 1
//   order_rest   publishes ────────────► keep_rest_order   counts
//                barrier  ◄────────────►                   barrier: at rest
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/codec.hpp"
#include "base/futex.hpp"
#include "runtime/interface/node.hpp"

namespace weft {

struct RestOrder {
  // Of threads of the program's own on nodes other than 0.
  enum class What : std::uint8_t { kNoneAnyMore, kNoneAsBefore, kMayComeAgain };
  using enum What;

  What what = kNoneAsBefore;
  WEFT_FIELDS(self.what)
};

// Node 0 publishes one thing at a time, from before it until behind its last barrier. Needed where
// there are gathered threads. No handler publishes, so signals may come meanwhile.
class Publishing {
 public:
  enum class How : std::uint8_t { kTry, kWait };
  explicit Publishing(How how) : has_turn_(take(how)) {}
  ~Publishing() {
    if (!has_turn_) return;
    is_under_way_.store(0);
    futex_wake_one(is_under_way_);
  }
  Publishing(const Publishing&) = delete;
  Publishing& operator=(const Publishing&) = delete;
  explicit operator bool() const { return has_turn_; }

 private:
  static bool take(How how) {
    while (is_under_way_.exchange(1) != 0) {
      if (how == How::kTry) return false;
      futex_wait(is_under_way_, 1);
    }
    return true;
  }

  static inline std::atomic<std::uint32_t> is_under_way_{0};
  const bool has_turn_;
};

// Where others may have threads again, they must know all of the barrier before one comes.
[[nodiscard]] inline BarrierInput behind(const RestOrder& order) {
  BarrierInput input;
  input.precedes_publication = order.what != RestOrder::kMayComeAgain;
  return input;
}

// Node 0, by who is Publishing; waits for all nodes. On the runtime stack.
inline void order_rest(Node& node, const RestOrder& order) {
  node.publish(to_bytes(order), PhaseKey());
  (void)node.barrier_with(behind(order));
}

// A region's description is longer.
[[nodiscard]] inline std::optional<RestOrder> rest_order_in(ByteView publication) {
  if (publication.size() != to_bytes(RestOrder()).size()) return std::nullopt;
  return value_of<RestOrder>(publication);
}

// Another node, by the thread that has taken the publication.
inline void keep_rest_order(Node& node, const RestOrder& order) {
  if (order.what == RestOrder::kMayComeAgain) {
    node.count_outside_threads(1);
    (void)node.barrier_with(behind(order));
    return;
  }
  if (order.what == RestOrder::kNoneAnyMore) node.count_outside_threads(-1);
  node.arrive(behind(order));
}

}  // namespace weft
