// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/interface/held_locks.hpp"

#include <algorithm>
#include <mutex>

#include "base/numbers/mixed.hpp"

namespace weft {
namespace {

const void* thread_token() {
  thread_local char token;
  return &token;
}

}  // namespace

HeldLocks::Shelf& HeldLocks::shelf_of(LockId lock) {
  constexpr int kUnused = 56;  // bits of 64, as there are 256 shelves
  return shelves_.at(mixed(lock.value()) >> kUnused);
}

HeldLocks::Held* HeldLocks::find(Shelf& shelf, LockId lock) {
  const auto found = std::ranges::find(shelf.held, lock, &Held::lock);
  return found == shelf.held.end() ? nullptr : &*found;
}

HeldLocks::Held* HeldLocks::find_mine(Shelf& shelf, LockId lock) {
  Held* const held = find(shelf, lock);
  return held != nullptr && held->owner == thread_token() ? held : nullptr;
}

void HeldLocks::put(Shelf& shelf, const Held& held) {
  if (Held* const before = find(shelf, held.lock)) {
    *before = held;
  } else {
    shelf.held.push_back(held);
  }
}

void HeldLocks::remove(Shelf& shelf, Held& held) {
  held = shelf.held.back();
  shelf.held.pop_back();
}

int HeldLocks::count_again(LockId lock) {
  Shelf& shelf = shelf_of(lock);
  const std::lock_guard guard(shelf.guard);
  Held* const held = find_mine(shelf, lock);
  return held == nullptr ? 0 : ++held->count;
}

bool HeldLocks::is_mine(LockId lock) {
  Shelf& shelf = shelf_of(lock);
  const std::lock_guard guard(shelf.guard);
  return find_mine(shelf, lock) != nullptr;
}

bool HeldLocks::is_held(LockId lock) {
  Shelf& shelf = shelf_of(lock);
  const std::lock_guard guard(shelf.guard);
  return find(shelf, lock) != nullptr;
}

void HeldLocks::took(LockId lock) {
  Shelf& shelf = shelf_of(lock);
  const std::lock_guard guard(shelf.guard);
  put(shelf, {lock, thread_token(), 1, kNoNode});
}

std::optional<HeldLocks::GivenUp> HeldLocks::count_down(LockId lock) {
  Shelf& shelf = shelf_of(lock);
  const std::lock_guard guard(shelf.guard);
  Held* const held = find(shelf, lock);
  if (held == nullptr) return std::nullopt;
  const GivenUp given_up{.is_free = --held->count == 0, .keeper = held->keeper};
  if (given_up.is_free) remove(shelf, *held);
  return given_up;
}

std::size_t HeldLocks::count_of_mine() {
  std::size_t count = 0;
  for (Shelf& shelf : shelves_) {
    const std::lock_guard guard(shelf.guard);
    count += static_cast<std::size_t>(std::ranges::count(shelf.held, thread_token(), &Held::owner));
  }
  return count;
}

std::vector<CarriedLock> HeldLocks::carry_off(NodeId self) {
  std::vector<CarriedLock> locks;
  for (Shelf& shelf : shelves_) {
    const std::lock_guard guard(shelf.guard);
    for (Held& held : shelf.held) {
      if (held.owner != thread_token()) continue;
      const NodeId keeper = held.keeper == kNoNode ? self : held.keeper;
      locks.push_back({held.lock, static_cast<std::uint32_t>(held.count), keeper});
      held.owner = nullptr;
    }
    std::erase_if(shelf.held, [self](const Held& held) {
      return held.owner == nullptr && held.keeper != kNoNode && held.keeper != self;
    });
  }
  return locks;
}

void HeldLocks::take_over(const std::vector<CarriedLock>& locks, NodeId self) {
  for (const CarriedLock& each : locks) {
    Shelf& shelf = shelf_of(each.lock);
    const std::lock_guard guard(shelf.guard);
    put(shelf, {each.lock, thread_token(), static_cast<int>(each.count),
                each.keeper == self ? kNoNode : each.keeper});
  }
}

void HeldLocks::drop(LockId lock) {
  Shelf& shelf = shelf_of(lock);
  const std::lock_guard guard(shelf.guard);
  if (Held* const held = find(shelf, lock)) remove(shelf, *held);
}

}  // namespace weft
