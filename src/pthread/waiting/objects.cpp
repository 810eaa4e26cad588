// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/waiting/objects.hpp"

#include "base/futex.hpp"
#include "libc/interposition/hooks.hpp"
#include "runtime/interface/spreading.hpp"

namespace weft::pthread {

Node* job_of(const void* object) {
  // Everybody in the process comes here, from its first instruction on and also while the engine
  // works: nothing but the address is looked at.
  if (program_stays_on_node_0.load(std::memory_order_relaxed)) return nullptr;
  const libc::Hooks* hooks = libc::hooks();
  if (hooks == nullptr || !hooks->is_shared(object)) return nullptr;
  if (libc::in_forked_child.load(std::memory_order_relaxed)) return nullptr;
  return this_node();
}

bool waits_are_shown() {
  return program_stays_on_node_0.load(std::memory_order_relaxed) &&
         !libc::in_forked_child.load(std::memory_order_relaxed);
}

std::int64_t monotonic(clockid_t clock, const timespec& time) {
  timespec now = {};
  clock_gettime(clock, &now);
  constexpr std::int64_t kMostSeconds = 1'000'000'000;  // enough not to overflow
  std::int64_t seconds = time.tv_sec - now.tv_sec;
  if (seconds > kMostSeconds) seconds = kMostSeconds;
  if (seconds < -kMostSeconds) seconds = -kMostSeconds;
  return now_ns() + seconds * 1'000'000'000 + (time.tv_nsec - now.tv_nsec);
}

}  // namespace weft::pthread
