// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Read-write locks. As with the C library's default kind, readers come in while others read, also
// when a writer waits: a thread may so take a read lock twice. Of the kind that prefers writers
// (PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) they wait then.
#include <pthread.h>

#include <cerrno>

#include "pthread/load/private_locks.hpp"
#include "pthread/waiting/monitor.hpp"
#include "pthread/waiting/objects.hpp"
#include "pthread/waiting/shown_waits.hpp"
#include "runtime/board/board.hpp"
#include "runtime/interface/move_points.hpp"
#include "stacks/stacks.hpp"

namespace weft::pthread {
namespace {

// All zero at first, as the static initialiser leaves it.
struct State {
  std::uint32_t readers;
  std::uint32_t writers;  // 0 or 1
  std::uint32_t waiters;
  std::uint32_t waiting_writers;  // of these
  pthread_t writer;               // the last one
};
static_assert(sizeof(State) <= offsetof(__pthread_rwlock_arch_t, __flags));

enum class Access : std::uint8_t { kRead, kWrite };

State& state_of(pthread_rwlock_t* lock) { return *reinterpret_cast<State*>(lock); }

bool prefers_writers(const pthread_rwlock_t& lock) {
  return lock.__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

// `until_ns`: 0 does not wait at all, nothing waits for ever.
int lock(Node& node, pthread_rwlock_t* object, Access access,
         std::optional<std::int64_t> until_ns) {
  State& state = state_of(object);
  Monitor monitor(node, object);
  const bool writes = access == Access::kWrite;
  const auto is_free = [&] {
    if (state.writers != 0) return false;
    if (writes) return state.readers == 0;
    return state.waiting_writers == 0 || !prefers_writers(*object);
  };
  while (!is_free()) {
    if (until_ns == 0) return EBUSY;
    if (state.writers != 0 && state.writer == ::pthread_self()) return EDEADLK;
    ++state.waiters;
    state.waiting_writers += writes;
    const bool woken = monitor.wait(until_ns);
    --state.waiters;
    state.waiting_writers -= writes;
    if (woken || is_free()) continue;
    // Readers may have waited for this one.
    if (writes && prefers_writers(*object) && state.waiters > 0) monitor.wake(kWakeAll);
    return ETIMEDOUT;
  }
  ++(writes ? state.writers : state.readers);
  if (writes) state.writer = ::pthread_self();
  return 0;
}

int unlock(Node& node, pthread_rwlock_t* object) {
  State& state = state_of(object);
  Monitor monitor(node, object);
  if (state.writers == 0 && state.readers == 0) return EPERM;
  --(state.writers > 0 ? state.writers : state.readers);
  if (state.readers == 0 && state.waiters > 0) monitor.wake(kWakeAll);
  return 0;
}

int lock_until(Node& node, pthread_rwlock_t* object, Access access, clockid_t clock,
               const timespec* time) {
  const timespec when = *time;
  if (!is_valid(when) || !is_clock(clock)) return EINVAL;
  return on_runtime_stack([&] {
    return lock(node, object, access, std::max<std::int64_t>(1, monotonic(clock, when)));
  });
}

// Of the C library's, which shows nothing of itself: takes it by `try_it`, or waits by `take`.
template <typename Try, typename Take>
int lock_in_process(pthread_rwlock_t* object, const void* site, Try try_it, Take take) {
  if (!waits_are_shown()) return took_private_lock(take());
  if (const int error = try_it(); error != EBUSY) return error;
  return wait_shown(board::WaitKind::kRwLock, object, site, take);
}

}  // namespace

#define WEFT_RWLOCK(what, access)                                                                 \
  WEFT_ENTRY(int, pthread_rwlock_##what##lock, pthread_rwlock_t* object) {                        \
    Node* node = job_of(object);                                                                  \
    const void* site = __builtin_return_address(0);                                               \
    if (node == nullptr) {                                                                        \
      return lock_in_process(                                                                     \
          object, site, [=] { return WEFT_REAL(pthread_rwlock_try##what##lock)(object); },        \
          [=] { return WEFT_REAL(pthread_rwlock_##what##lock)(object); });                        \
    }                                                                                             \
    node = pass_move_point(node);                                                                 \
    return on_runtime_stack([&] {                                                                 \
      const board::Purpose purpose(board::WaitKind::kRwLock,                                      \
                                   reinterpret_cast<std::uintptr_t>(object), nullptr, site);      \
      return lock(*node, object, access, std::nullopt);                                           \
    });                                                                                           \
  }                                                                                               \
  WEFT_ENTRY(int, pthread_rwlock_try##what##lock, pthread_rwlock_t* object) {                     \
    Node* node = job_of(object);                                                                  \
    if (node == nullptr) {                                                                        \
      return took_private_lock(WEFT_REAL(pthread_rwlock_try##what##lock)(object));                \
    }                                                                                             \
    return on_runtime_stack([&] { return lock(*node, object, access, 0); });                      \
  }                                                                                               \
  WEFT_ENTRY(int, pthread_rwlock_clock##what##lock, pthread_rwlock_t* object, clockid_t clock,    \
             const timespec* time) {                                                              \
    Node* node = job_of(object);                                                                  \
    if (node == nullptr) {                                                                        \
      return took_private_lock(WEFT_REAL(pthread_rwlock_clock##what##lock)(object, clock, time)); \
    }                                                                                             \
    return lock_until(*pass_move_point(node), object, access, clock, time);                       \
  }                                                                                               \
  WEFT_ENTRY(int, pthread_rwlock_timed##what##lock, pthread_rwlock_t* object,                     \
             const timespec* time) {                                                              \
    Node* node = job_of(object);                                                                  \
    if (node == nullptr) {                                                                        \
      return took_private_lock(WEFT_REAL(pthread_rwlock_timed##what##lock)(object, time));        \
    }                                                                                             \
    return lock_until(*pass_move_point(node), object, access, CLOCK_REALTIME, time);              \
  }
WEFT_RWLOCK(rd, Access::kRead)
WEFT_RWLOCK(wr, Access::kWrite)

WEFT_ENTRY(int, pthread_rwlock_unlock, pthread_rwlock_t* object) {
  Node* node = job_of(object);
  if (node == nullptr) return gave_up_private_lock(WEFT_REAL(pthread_rwlock_unlock)(object));
  return on_runtime_stack([&] { return unlock(*node, object); });
}

}  // namespace weft::pthread
