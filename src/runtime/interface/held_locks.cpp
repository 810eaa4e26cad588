// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/interface/held_locks.hpp"

#include <algorithm>

namespace weft {
namespace {

const void* thread_token() {
  thread_local char token;
  return &token;
}

}  // namespace

int HeldLocks::count_again(LockId lock) {
  const std::lock_guard guard(guard_);
  const auto held = held_.find(lock);
  if (held == held_.end() || held->second.owner != thread_token()) return 0;
  return ++held->second.count;
}

bool HeldLocks::is_mine(LockId lock) {
  const std::lock_guard guard(guard_);
  const auto held = held_.find(lock);
  return held != held_.end() && held->second.owner == thread_token();
}

bool HeldLocks::is_held(LockId lock) {
  const std::lock_guard guard(guard_);
  return held_.contains(lock);
}

void HeldLocks::took(LockId lock) {
  const std::lock_guard guard(guard_);
  held_[lock] = Held{thread_token(), 1, kNoNode};
}

bool HeldLocks::count_down(LockId lock) {
  const std::lock_guard guard(guard_);
  const auto held = held_.find(lock);
  if (held == held_.end() || --held->second.count > 0) return false;
  held_.erase(held);
  return true;
}

NodeId HeldLocks::keeper_of(LockId lock) {
  const std::lock_guard guard(guard_);
  const auto held = held_.find(lock);
  return held == held_.end() ? kNoNode : held->second.keeper;
}

std::size_t HeldLocks::count_of_mine() {
  const std::lock_guard guard(guard_);
  return static_cast<std::size_t>(std::ranges::count_if(
      held_, [](const auto& each) { return each.second.owner == thread_token(); }));
}

std::vector<CarriedLock> HeldLocks::carry_off(NodeId self) {
  const std::lock_guard guard(guard_);
  std::vector<CarriedLock> locks;
  for (auto each = held_.begin(); each != held_.end();) {
    Held& held = each->second;
    const auto present = each++;
    if (held.owner != thread_token()) continue;
    const NodeId keeper = held.keeper == kNoNode ? self : held.keeper;
    locks.push_back({present->first, static_cast<std::uint32_t>(held.count), keeper});
    held.owner = nullptr;
    if (keeper != self) held_.erase(present);
  }
  return locks;
}

void HeldLocks::take_over(const std::vector<CarriedLock>& locks, NodeId self) {
  const std::lock_guard guard(guard_);
  for (const CarriedLock& each : locks) {
    held_[each.lock] = Held{thread_token(), static_cast<int>(each.count),
                            each.keeper == self ? kNoNode : each.keeper};
  }
}

void HeldLocks::drop(LockId lock) {
  const std::lock_guard guard(guard_);
  held_.erase(lock);
}

}  // namespace weft
