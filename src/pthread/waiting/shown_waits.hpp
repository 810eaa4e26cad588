// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits for objects that are the C library's, in a program that stays on node 0 (objects.hpp). The
// board shows them, and which mutexes a thread has: so `weft run` can say of such a job, too, that
// nobody can go on.
#pragma once

#include <cstdint>

#include "base/threads/held_cancellation.hpp"
#include "libc/interposition/hooks.hpp"
#include "runtime/board/board.hpp"

namespace weft::pthread {

// Whether it is in shared memory. What is in private memory is a library's, or Weft's own, and not
// shown.
[[nodiscard]] inline bool is_programs(const void* object) {
  const libc::Hooks* hooks = libc::hooks();
  return hooks != nullptr && hooks->is_shared(object);
}

// Returns what `call` does, which may wait for ever for the object, whose number is `name`. `site`:
// the caller's in the program. No cancellation point: the C library unwinds a cancelled thread out
// of it, and this frame cannot be unwound.
template <typename Call>
auto wait_shown(board::WaitKind kind, const void* object, std::uint64_t name, const void* site,
                Call call) {
  if (!is_programs(object)) return call();
  const board::Purpose purpose(kind, name, nullptr, site);
  const board::Waiting waiting(kind, name);
  board::note_sleep();
  return call();
}
template <typename Call>
auto wait_shown(board::WaitKind kind, const void* object, const void* site, Call call) {
  return wait_shown(kind, object, reinterpret_cast<std::uintptr_t>(object), site, call);
}

// The same where `call` is a cancellation point: not shown in a program that cancels threads.
template <typename Call>
auto wait_shown_or_cancelled(board::WaitKind kind, const void* object, const void* site,
                             Call call) {
  if (program_cancels.load(std::memory_order_relaxed)) return call();
  return wait_shown(kind, object, site, call);
}

}  // namespace weft::pthread
