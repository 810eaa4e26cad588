// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queues of threads that wait for other threads, on whatever nodes. A queue has a name, mostly the
// address of an object, and is kept by one node, its keeper, in order of arrival. Node 0 keeps all
// of them where it has most threads; else a queue's name says who does.
//
//   waiting thread        keeper              waking thread
//   enqueue ────────────► queue it
//           ◄──────────── done
//   (lets go of a lock)
//   sleep                 pop the first ◄──── wake
//           ◄──────────── woken
//
// Where nodes may rest although threads sleep there (pthread/gathering), a sleeper also says that
// it sleeps, when all else that it does before is done; only what cannot end without a wake.
//
// No memory coherence comes with it: that is the business of the lock under which the threads look
// at what they wait for. But who wakes without such a lock can have what its node has written
// acquired by the sleeper. Then its node takes the last step, by a post, if the sleeper is on
// another one. So it costs nothing where nobody sleeps elsewhere:
//
//   waiting thread        keeper              waking thread
//           │             pop the first ◄──── wake
//           │             pass ─────────────► its node
//           ◄──────────────────────────────── woken, and its writes
//
// Rejected: the engine's sequencers (nobody can stop waiting for one, so no
// timeouts), and a queue in shared memory (its pages would travel with each change).
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/codec.hpp"
#include "pthread/waiting/parking_queues.hpp"
#include "runtime/interface/node.hpp"

namespace weft::pthread {

// Which wake it was: of a queue, of those with some of these bits.
struct ParkingWake {
  ParkingKey key = {};
  std::uint32_t bits = kAnyBits;
  NodeId releaser = kNoNode;  // the sleeper acquires what that one has written
};

// Sleepers that go to another queue: up to `most`, of those that came before an arrival.
struct ParkingMove {
  ParkingKey to = {};
  std::uint64_t most = 0, before = 0;
  WEFT_FIELDS(self.to, self.most, self.before)
};
struct ParkingMoved {
  std::uint64_t woken = 0, moved = 0;
  WEFT_FIELDS(self.woken, self.moved)
};

// Between keepers and the nodes of their sleepers.
struct ParkingMessage {
  enum class What : std::uint8_t {
    kEnqueue,
    kAsleep,
    kLeave,
    kWake,
    kCountArrivals,
    kMove,
    kPass,
    kWoken
  };
  using enum What;

  What what = kEnqueue;
  ParkingKey key = {};
  std::uint64_t detail = 0;       // a sleeper's address, or of kWake and kMove how many are woken
  std::uint32_t bits = kAnyBits;  // of kEnqueue, kWake, kPass, kWoken
  ParkingMove move = {};          // of kMove
  NodeId node = kNoNode;          // of kWake: the releaser; of kPass: the sleeper's
  WEFT_FIELDS(self.what, self.key, self.detail, self.bits, self.move, self.node)
};

// How a sleep ended.
enum class Awoken : std::uint8_t { kByWake, kByTime, kByCancellation, kByHandler };

// A thread in a queue; on its runtime stack.
class Sleeper {
 public:
  Sleeper() = default;
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  // When it has been woken.
  [[nodiscard]] const ParkingWake& woken_by() const { return woken_by_; }

 private:
  friend class Parking;
  std::atomic<std::uint32_t> woken_{0};
  ParkingWake woken_by_;  // set before woken_ is
};

class Parking {
 public:
  explicit Parking(Node& node);

  // When it returns, a wake finds the sleeper, if it has some of these bits. Blocks for a round
  // trip.
  void enqueue(ParkingKey key, Sleeper& sleeper, std::uint32_t bits = kAnyBits);
  // Waits to be woken; once for each enqueue. False if the time (of now_ns) came first.
  [[nodiscard]] bool sleep(ParkingKey key, Sleeper& sleeper, std::optional<std::int64_t> until_ns);
  // The same, and cancelling the calling thread ends it (cancellation/cancellable.hpp). A thread
  // that has been woken is not cancelled: it has what the waker gave.
  [[nodiscard]] Awoken sleep_cancellably(ParkingKey key, Sleeper& sleeper,
                                         std::optional<std::int64_t> until_ns);
  // The same, and so does a signal's handler (libc/signals/interruption.hpp).
  [[nodiscard]] Awoken sleep_interruptibly(ParkingKey key, Sleeper& sleeper,
                                           std::optional<std::int64_t> until_ns);
  // Instead of sleep(): leaves the queue. False if it was woken already.
  bool leave(ParkingKey key, Sleeper& sleeper);
  // Wakes up to `count` of those that are in the queue, the first ones. Does not block.
  void wake(ParkingKey key, std::uint32_t count, std::uint32_t bits = kAnyBits);
  // The same, and the woken acquire what this node has written.
  void wake_releasing(ParkingKey key, std::uint32_t count);
  // As wake(), and returns how many they were. Blocks for a round trip, as do the following.
  std::uint64_t wake_and_count(ParkingKey key, std::uint32_t count, std::uint32_t bits);
  // How many have come to node 0's queues, of all time.
  [[nodiscard]] std::uint64_t arrivals();
  // Wakes the first ones, and moves others of them to another queue. Both are of the kind
  // kKeptByNode0.
  ParkingMoved wake_and_move(ParkingKey key, std::uint32_t count, const ParkingMove& move);

 private:
  using Waiter = ParkingQueues::Waiter;
  [[nodiscard]] NodeId keeper_of(ParkingKey key) const;
  [[nodiscard]] static bool is_woken(const Sleeper& sleeper);
  Bytes on_request(NodeId from, ByteView request);
  [[nodiscard]] bool fall_asleep(ParkingKey key, const Sleeper& sleeper,
                                 std::optional<std::int64_t> until_ns);
  void wait_to_be_woken(ParkingKey key, Sleeper& sleeper, std::optional<std::int64_t> until_ns);
  void wake_here(std::uint64_t address, const ParkingWake& by);
  void wake_one(const ParkingWake& by, const Waiter& waiter);
  void take_last_step(const ParkingWake& by, const Waiter& waiter);
  void wake_by(const ParkingWake& by, std::uint32_t count);
  std::uint64_t wake_from_here(const ParkingWake& by, std::uint32_t count);
  ParkingMoved wake_and_move_here(ParkingKey key, std::uint64_t count, const ParkingMove& move);

  Node& node_;
  ParkingQueues& queues_;
};

// Sleepers of other nodes, as node 0 counts them. Set before the program runs, and on all nodes.
struct SleeperCount {
  void (*falls_asleep)(NodeId node);
  // False: its node rests. Then it must not be woken before end_rest() has returned, which blocks.
  [[nodiscard]] bool (*may_wake)(NodeId node);
  void (*end_rest)();
};
inline const SleeperCount* counted_sleepers = nullptr;  // null: they are not counted

inline constexpr std::uint32_t kWakeAll = UINT32_MAX;

// This node's; made by start_parking, before the program runs.
[[nodiscard]] Parking& parking();
void start_parking(Node& node);

}  // namespace weft::pthread
