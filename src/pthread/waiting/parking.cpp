// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/waiting/parking.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/signal_safe_mutex.hpp"
#include "libc/signals/interruption.hpp"
#include "pthread/cancellation/cancellable.hpp"
#include "runtime/interface/thread_spreading.hpp"
#include "runtime/output/output_order.hpp"
#include "runtime/services/workers.hpp"

namespace weft::pthread {
namespace {

constexpr std::uint32_t kWoken = 1;

void wake_here(Node& node, std::uint64_t sleeper) {
  auto& word = *reinterpret_cast<std::atomic<std::uint32_t>*>(sleeper);
  // The sleeper may be gone as soon as it is marked; a wake of whatever lies there now is harmless.
  word.store(kWoken, std::memory_order_release);
  node.wake(word);
}

Parking* instance = nullptr;

}  // namespace

struct Parking::Waiter {
  NodeId node;
  std::uint64_t sleeper;   // its address there
  bool is_asleep = false;  // and counted
  bool operator==(const Waiter& other) const {
    return node == other.node && sleeper == other.sleeper;
  }
};

// What this node keeps for all. Nothing blocks under its lock.
struct Parking::Queues {
  void add(ParkingKey key, Waiter waiter) {
    const std::lock_guard guard(lock);
    by_key[key].push_back(waiter);
  }
  // False: it has been woken.
  bool note_asleep(ParkingKey key, Waiter waiter) {
    const std::lock_guard guard(lock);
    const auto found = by_key.find(key);
    if (found == by_key.end()) return false;
    const auto there = std::ranges::find(found->second, waiter);
    if (there == found->second.end()) return false;
    there->is_asleep = true;
    return true;
  }
  bool remove(ParkingKey key, Waiter waiter) {
    const std::lock_guard guard(lock);
    const auto found = by_key.find(key);
    if (found == by_key.end()) return false;
    const bool was_there = std::erase(found->second, waiter) > 0;
    if (found->second.empty()) by_key.erase(found);
    return was_there;
  }
  std::vector<Waiter> pop(ParkingKey key, std::uint64_t count) {
    const std::lock_guard guard(lock);
    std::vector<Waiter> first;
    const auto found = by_key.find(key);
    if (found == by_key.end()) return first;
    for (std::deque<Waiter>& queue = found->second; !queue.empty() && first.size() < count;) {
      first.push_back(queue.front());
      queue.pop_front();
    }
    if (found->second.empty()) by_key.erase(found);
    return first;
  }

  SignalSafeMutex lock;
  std::unordered_map<ParkingKey, std::deque<Waiter>> by_key;
};

Parking::Parking(Node& node) : node_(node), queues_(*new Queues) {
  node_.serve(Service::kPark,
              [this](NodeId from, ByteView request) { return on_request(from, request); });
}

// Where most threads are on node 0, or will be (pthread/gathering), it keeps all queues: theirs
// take no messages.
NodeId Parking::keeper_of(ParkingKey key) const {
  if (threads_are_gathered || !threads_start_anywhere) return NodeId(0);
  const std::uint64_t mixed = (key >> 2) * 0x9e37'79b9'7f4a'7c15U;
  return NodeId(static_cast<std::uint16_t>((mixed >> 32) % node_.node_count()));
}

// A handler: under the node's lock.
Bytes Parking::on_request(NodeId from, ByteView request) {
  const auto [what, key, detail] = value_of<ParkingMessage>(request);
  switch (what) {
    case ParkingMessage::kEnqueue:
      queues_.add(key, {from, detail});
      break;
    case ParkingMessage::kAsleep:
      if (queues_.note_asleep(key, {from, detail})) counted_sleepers->falls_asleep(from);
      break;
    case ParkingMessage::kLeave:
      return to_bytes(queues_.remove(key, {from, detail}));
    case ParkingMessage::kWake:
      for (const Waiter& waiter : queues_.pop(key, detail)) wake_one(key, waiter);
      break;
    case ParkingMessage::kWoken:
      wake_here(node_, detail);
      break;
  }
  return {};
}

void Parking::enqueue(ParkingKey key, Sleeper& sleeper) {
  const auto address = reinterpret_cast<std::uint64_t>(&sleeper.woken_);
  const NodeId keeper = keeper_of(key);
  if (keeper == node_.self()) return queues_.add(key, {keeper, address});
  node_.call(keeper, Service::kPark,
             to_bytes(ParkingMessage{ParkingMessage::kEnqueue, key, address}));
}

bool Parking::is_woken(const Sleeper& sleeper) {
  return sleeper.woken_.load(std::memory_order_acquire) == kWoken;
}

bool Parking::leave(ParkingKey key, Sleeper& sleeper) {
  const auto address = reinterpret_cast<std::uint64_t>(&sleeper.woken_);
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
  const auto address = reinterpret_cast<std::uint64_t>(&sleeper.woken_);
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

void Parking::wake_one(ParkingKey key, const Waiter& waiter) {
  if (waiter.node == node_.self()) return wake_here(node_, waiter.sleeper);
  const auto wake = [this, key, waiter] {
    node_.notify(waiter.node, Service::kPark,
                 to_bytes(ParkingMessage{ParkingMessage::kWoken, key, waiter.sleeper}));
  };
  if (!waiter.is_asleep || counted_sleepers->may_wake(waiter.node)) return wake();
  run_on_worker([wake] {
    counted_sleepers->end_rest();
    wake();
  });
}

void Parking::wake(ParkingKey key, std::uint32_t count) {
  const NodeId keeper = keeper_of(key);
  if (keeper != node_.self()) {
    order_output();
    const ParkingMessage message{ParkingMessage::kWake, key, count};
    return node_.notify(keeper, Service::kPark, to_bytes(message));
  }
  const std::vector<Waiter> waiters = queues_.pop(key, count);
  const auto is_elsewhere = [this](const Waiter& each) { return each.node != node_.self(); };
  if (std::ranges::any_of(waiters, is_elsewhere)) order_output();
  for (const Waiter& waiter : waiters) wake_one(key, waiter);
}

Parking& parking() { return *instance; }

void start_parking(Node& node) { instance = new Parking(node); }

}  // namespace weft::pthread
