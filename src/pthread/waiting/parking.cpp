// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/waiting/parking.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "libc/signals/interruption.hpp"
#include "pthread/cancellation/cancellable.hpp"
#include "runtime/interface/thread_spreading.hpp"
#include "runtime/output/output_order.hpp"
#include "runtime/services/workers.hpp"

namespace weft::pthread {
namespace {

constexpr std::uint32_t kWoken = 1;

Parking* instance = nullptr;

}  // namespace

Parking::Parking(Node& node) : node_(node), queues_(*new ParkingQueues) {
  node_.serve(Service::kPark,
              [this](NodeId from, ByteView request) { return on_request(from, request); });
}

// Where most threads are on node 0, or will be (pthread/gathering), it keeps all queues: theirs
// take no messages.
NodeId Parking::keeper_of(ParkingKey key) const {
  if ((key & kKeptByNode0) != 0) return NodeId(0);
  if (threads_are_gathered || !threads_start_anywhere) return NodeId(0);
  const std::uint64_t mixed = (key >> 2) * 0x9e37'79b9'7f4a'7c15U;
  return NodeId(static_cast<std::uint16_t>((mixed >> 32) % node_.node_count()));
}

void Parking::wake_here(std::uint64_t address, const ParkingWake& by) {
  auto& sleeper = *reinterpret_cast<Sleeper*>(address);
  std::atomic<std::uint32_t>& word = sleeper.woken_;
  sleeper.woken_by_ = by;
  // The sleeper may be gone as soon as it is marked; a wake of whatever lies there now is harmless.
  word.store(kWoken, std::memory_order_release);
  node_.wake(word);
}

// A handler: under the node's lock.
Bytes Parking::on_request(NodeId from, ByteView request) {
  const auto message = value_of<ParkingMessage>(request);
  const auto& [what, key, detail, bits, move, other] = message;
  switch (what) {
    case ParkingMessage::kEnqueue:
      queues_.add(key, {.node = from, .sleeper = detail, .bits = bits});
      break;
    case ParkingMessage::kAsleep:
      if (queues_.note_asleep(key, {from, detail})) counted_sleepers->falls_asleep(from);
      break;
    case ParkingMessage::kLeave:
      return to_bytes(queues_.remove(key, {from, detail}));
    case ParkingMessage::kWake: {
      const std::vector<Waiter> waiters = queues_.pop(key, {.count = detail, .bits = bits});
      for (const Waiter& waiter : waiters) wake_one({key, bits, other}, waiter);
      return to_bytes(std::uint64_t{waiters.size()});
    }
    case ParkingMessage::kCountArrivals:
      return to_bytes(queues_.arrivals());
    case ParkingMessage::kMove:
      return to_bytes(wake_and_move_here(key, detail, move));
    case ParkingMessage::kPass:
      take_last_step({key, bits, node_.self()}, {.node = other, .sleeper = detail});
      break;
    case ParkingMessage::kWoken:
      wake_here(detail, {key, bits});
      break;
  }
  return {};
}

void Parking::enqueue(ParkingKey key, Sleeper& sleeper, std::uint32_t bits) {
  const auto address = reinterpret_cast<std::uint64_t>(&sleeper);
  const NodeId keeper = keeper_of(key);
  if (keeper == node_.self())
    return queues_.add(key, {.node = keeper, .sleeper = address, .bits = bits});
  node_.call(keeper, Service::kPark,
             to_bytes(ParkingMessage{ParkingMessage::kEnqueue, key, address, bits}));
}

bool Parking::is_woken(const Sleeper& sleeper) {
  return sleeper.woken_.load(std::memory_order_acquire) == kWoken;
}

bool Parking::leave(ParkingKey key, Sleeper& sleeper) {
  const auto address = reinterpret_cast<std::uint64_t>(&sleeper);
  const NodeId keeper = keeper_of(key);
  bool was_queued;
  if (keeper == node_.self()) {
    was_queued = queues_.remove(key, {keeper, address});
  } else {
    const ParkingMessage leave{ParkingMessage::kLeave, key, address};
    was_queued = value_of<bool>(node_.call(keeper, Service::kPark, to_bytes(leave)));
  }
  // Who woke it may still be about to mark it.
  while (!was_queued && !is_woken(sleeper)) {
    node_.wait_while(sleeper.woken_, sleeper.woken_.load(), std::nullopt);
  }
  return was_queued;
}

// Nobody but node 0 wakes the thread, and it tells the thread's node before. So the node can rest
// meanwhile.
bool Parking::fall_asleep(ParkingKey key, const Sleeper& sleeper,
                          std::optional<std::int64_t> until_ns) {
  const NodeId keeper = keeper_of(key);
  if (counted_sleepers == nullptr || until_ns || keeper == node_.self()) return false;
  const auto address = reinterpret_cast<std::uint64_t>(&sleeper);
  node_.count_outside_threads(-1);
  node_.notify(keeper, Service::kPark,
               to_bytes(ParkingMessage{ParkingMessage::kAsleep, key, address}));
  return true;
}

void Parking::wait_to_be_woken(ParkingKey key, Sleeper& sleeper,
                               std::optional<std::int64_t> until_ns) {
  const bool is_asleep = fall_asleep(key, sleeper, until_ns);
  node_.wait_while(sleeper.woken_, 0, until_ns);
  if (is_asleep) node_.count_outside_threads(1);
}

bool Parking::sleep(ParkingKey key, Sleeper& sleeper, std::optional<std::int64_t> until_ns) {
  wait_to_be_woken(key, sleeper, until_ns);
  return is_woken(sleeper) || !leave(key, sleeper);
}

Awoken Parking::sleep_cancellably(ParkingKey key, Sleeper& sleeper,
                                  std::optional<std::int64_t> until_ns) {
  {
    const Cancellable cancellable(sleeper.woken_);
    wait_to_be_woken(key, sleeper, until_ns);
  }
  const std::uint32_t word = sleeper.woken_.load();
  if (is_woken(sleeper) || !leave(key, sleeper)) return Awoken::kByWake;
  if (word == libc::kWordOfInterrupted) return Awoken::kByHandler;
  return word == kWordOfCancelled ? Awoken::kByCancellation : Awoken::kByTime;
}

Awoken Parking::sleep_interruptibly(ParkingKey key, Sleeper& sleeper,
                                    std::optional<std::int64_t> until_ns) {
  const libc::Interruptible interruptible(sleeper.woken_);
  return sleep_cancellably(key, sleeper, until_ns);
}

void Parking::take_last_step(const ParkingWake& by, const Waiter& waiter) {
  const bool releases = by.releaser != kNoNode && by.releaser != waiter.node;
  if (releases && by.releaser != node_.self()) {
    const ParkingMessage pass{.what = ParkingMessage::kPass,
                              .key = by.key,
                              .detail = waiter.sleeper,
                              .bits = by.bits,
                              .node = waiter.node};
    return node_.notify(by.releaser, Service::kPark, to_bytes(pass));
  }
  if (waiter.node == node_.self()) return wake_here(waiter.sleeper, by);
  const ParkingMessage woken{ParkingMessage::kWoken, by.key, waiter.sleeper, by.bits};
  if (releases) return node_.post(waiter.node, Service::kPark, to_bytes(woken));
  node_.notify(waiter.node, Service::kPark, to_bytes(woken));
}

void Parking::wake_one(const ParkingWake& by, const Waiter& waiter) {
  if (!waiter.is_asleep || counted_sleepers->may_wake(waiter.node)) {
    return take_last_step(by, waiter);
  }
  run_on_worker([this, by, waiter] {
    counted_sleepers->end_rest();
    take_last_step(by, waiter);
  });
}

// Of this node's queues; not for a handler, as it may block until output is in order.
std::uint64_t Parking::wake_from_here(const ParkingWake& by, std::uint32_t count) {
  const std::vector<Waiter> waiters = queues_.pop(by.key, {.count = count, .bits = by.bits});
  const auto is_elsewhere = [this](const Waiter& each) { return each.node != node_.self(); };
  if (std::ranges::any_of(waiters, is_elsewhere)) order_output();
  for (const Waiter& waiter : waiters) wake_one(by, waiter);
  return waiters.size();
}

void Parking::wake_by(const ParkingWake& by, std::uint32_t count) {
  const NodeId keeper = keeper_of(by.key);
  if (keeper == node_.self()) return (void)wake_from_here(by, count);
  order_output();
  const ParkingMessage wake{.what = ParkingMessage::kWake,
                            .key = by.key,
                            .detail = count,
                            .bits = by.bits,
                            .node = by.releaser};
  node_.notify(keeper, Service::kPark, to_bytes(wake));
}

void Parking::wake(ParkingKey key, std::uint32_t count, std::uint32_t bits) {
  wake_by({key, bits}, count);
}

void Parking::wake_releasing(ParkingKey key, std::uint32_t count) {
  wake_by({key, kAnyBits, node_.self()}, count);
}

std::uint64_t Parking::wake_and_count(ParkingKey key, std::uint32_t count, std::uint32_t bits) {
  const NodeId keeper = keeper_of(key);
  if (keeper == node_.self()) return wake_from_here({key, bits}, count);
  order_output();
  return value_of<std::uint64_t>(node_.call(
      keeper, Service::kPark, to_bytes(ParkingMessage{ParkingMessage::kWake, key, count, bits})));
}

std::uint64_t Parking::arrivals() {
  if (node_.self() == NodeId(0)) return queues_.arrivals();
  const ParkingMessage message{.what = ParkingMessage::kCountArrivals};
  return value_of<std::uint64_t>(node_.call(NodeId(0), Service::kPark, to_bytes(message)));
}

ParkingMoved Parking::wake_and_move(ParkingKey key, std::uint32_t count, const ParkingMove& move) {
  order_output();
  if (node_.self() == NodeId(0)) return wake_and_move_here(key, count, move);
  const ParkingMessage message{ParkingMessage::kMove, key, count, kAnyBits, move};
  return value_of<ParkingMoved>(node_.call(NodeId(0), Service::kPark, to_bytes(message)));
}

ParkingMoved Parking::wake_and_move_here(ParkingKey key, std::uint64_t count,
                                         const ParkingMove& move) {
  std::vector<Waiter> woken;
  const ParkingQueues::Choice choice = {.count = count, .before = move.before};
  const std::uint64_t moved = queues_.pop_and_move(key, choice, move.to, move.most, woken);
  for (const Waiter& waiter : woken) wake_one({key, kAnyBits}, waiter);
  return {.woken = woken.size(), .moved = moved};
}

Parking& parking() { return *instance; }

void start_parking(Node& node) { instance = new Parking(node); }

}  // namespace weft::pthread
