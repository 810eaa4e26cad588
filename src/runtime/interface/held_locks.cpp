// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/interface/held_locks.hpp"

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
  held_[lock] = Held{thread_token(), 1};
}

bool HeldLocks::count_down(LockId lock) {
  const std::lock_guard guard(guard_);
  const auto held = held_.find(lock);
  if (held == held_.end() || --held->second.count > 0) return false;
  held_.erase(held);
  return true;
}

}  // namespace weft
