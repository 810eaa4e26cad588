// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutexes and condition variables of C11 (threads.h): those of POSIX under other names. cnd_init
// is the C library's.
#include <threads.h>

#include <cerrno>

#include "pthread/cancellation/cancellable.hpp"
#include "pthread/synchronisation/conditions.hpp"
#include "pthread/synchronisation/mutexes.hpp"
#include "pthread/synchronisation/process_mutexes.hpp"
#include "pthread/waiting/objects.hpp"
#include "pthread/waiting/parking.hpp"
#include "runtime/interface/move_points.hpp"
#include "stacks/stacks.hpp"

namespace weft::pthread {
namespace {

pthread_mutex_t* posix(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* posix(cnd_t* condition) { return reinterpret_cast<pthread_cond_t*>(condition); }

int result_of(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case EBUSY:
      return thrd_busy;
    case ETIMEDOUT:
      return thrd_timedout;
    default:
      return thrd_error;
  }
}

}  // namespace

WEFT_ENTRY(int, mtx_init, mtx_t* mutex, int kind) {
  const int result = WEFT_REAL(mtx_init)(mutex, kind);
  Node* node = job_of(mutex);
  if (node != nullptr && result == thrd_success)
    on_runtime_stack([&] { make_mutex_free(*node, *posix(mutex)); });
  return result;
}

WEFT_ENTRY(int, mtx_lock, mtx_t* mutex) {
  Node* node = job_of(mutex);
  if (node == nullptr) return result_of(process::lock(posix(mutex), __builtin_return_address(0)));
  node = pass_move_point(node);
  return on_runtime_stack([&] { return result_of(lock_mutex(*node, *posix(mutex))); });
}

WEFT_ENTRY(int, mtx_trylock, mtx_t* mutex) {
  Node* node = job_of(mutex);
  if (node == nullptr)
    return result_of(process::try_lock(posix(mutex), __builtin_return_address(0)));
  return on_runtime_stack([&] { return result_of(try_lock_mutex(*node, *posix(mutex))); });
}

WEFT_ENTRY(int, mtx_timedlock, mtx_t* mutex, const timespec* time) {
  Node* node = job_of(mutex);
  if (node == nullptr)
    return result_of(
        process::lock_until(posix(mutex), CLOCK_REALTIME, time, __builtin_return_address(0)));
  const timespec when = *time;
  if (!is_valid(when)) return thrd_error;
  node = pass_move_point(node);
  return on_runtime_stack([&] {
    return result_of(lock_mutex_until(*node, *posix(mutex), monotonic(CLOCK_REALTIME, when)));
  });
}

WEFT_ENTRY(int, mtx_unlock, mtx_t* mutex) {
  Node* node = job_of(mutex);
  if (node == nullptr) return result_of(process::unlock(posix(mutex)));
  return on_runtime_stack([&] { return result_of(unlock_mutex(*node, *posix(mutex))); });
}

WEFT_ENTRY(int, cnd_wait, cnd_t* condition, mtx_t* mutex) {
  if (job_of(condition) == nullptr)
    return result_of(wait_in_process(posix(condition), posix(mutex), __builtin_return_address(0)));
  begin_cancellable_call();
  return result_of(end_of_wait(on_runtime_stack(
      [&] { return wait_for_condition(posix(condition), posix(mutex), std::nullopt); })));
}

WEFT_ENTRY(int, cnd_timedwait, cnd_t* condition, mtx_t* mutex, const timespec* time) {
  if (job_of(condition) == nullptr) return WEFT_REAL(cnd_timedwait)(condition, mutex, time);
  const timespec when = *time;
  if (!is_valid(when)) return thrd_error;
  begin_cancellable_call();
  return result_of(end_of_wait(on_runtime_stack([&] {
    return wait_for_condition(posix(condition), posix(mutex), monotonic(CLOCK_REALTIME, when));
  })));
}

WEFT_ENTRY(int, cnd_signal, cnd_t* condition) {
  if (job_of(condition) == nullptr) return WEFT_REAL(cnd_signal)(condition);
  on_runtime_stack([&] { signal_condition(posix(condition), 1); });
  return thrd_success;
}

WEFT_ENTRY(int, cnd_broadcast, cnd_t* condition) {
  if (job_of(condition) == nullptr) return WEFT_REAL(cnd_broadcast)(condition);
  on_runtime_stack([&] { signal_condition(posix(condition), kWakeAll); });
  return thrd_success;
}

WEFT_ENTRY(void, cnd_destroy, cnd_t* condition) {
  if (job_of(condition) == nullptr) WEFT_REAL(cnd_destroy)(condition);
}

}  // namespace weft::pthread
