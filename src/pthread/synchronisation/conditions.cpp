// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Condition variables: a queue each. What a thread is told of, it sees because it takes the mutex
// again before it returns. That one may come from a third thread: if who tells does not hold it,
// what it wrote comes with the wake (POSIX, 4.12).
#include "pthread/synchronisation/conditions.hpp"

#include <cerrno>

#include "pthread/cancellation/cancellable.hpp"
#include "pthread/synchronisation/mutexes.hpp"
#include "pthread/synchronisation/process_mutexes.hpp"
#include "pthread/waiting/objects.hpp"
#include "pthread/waiting/parking.hpp"
#include "pthread/waiting/shown_waits.hpp"
#include "runtime/board/board.hpp"
#include "stacks/stacks.hpp"

namespace weft::pthread {
namespace {

ParkingKey key_of(const pthread_cond_t* condition) {
  return reinterpret_cast<ParkingKey>(condition);
}

// Which clock pthread_cond_timedwait goes by: pthread_cond_init, which is the C library's, wrote
// it.
clockid_t clock_of(const pthread_cond_t* condition) {
  constexpr unsigned kMonotonic = 2;
  return (condition->__data.__wrefs & kMonotonic) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

// The job's, or null for one that is the C library's together with its mutex.
Node* job_of_both(const pthread_cond_t* condition, const pthread_mutex_t* mutex) {
  Node* node = job_of(condition);
  if (node == nullptr && job_of(mutex) != nullptr) {
    on_runtime_stack([&] {
      job_of(mutex)->fail(
          "a condition variable in private memory (thread-local, or a library's) is used with a "
          "mutex in the program's shared memory; put both in the same kind of memory");
    });
  }
  return node;
}

}  // namespace

int wait_in_process(pthread_cond_t* condition, pthread_mutex_t* mutex, const void* site) {
  if (!waits_are_shown()) return WEFT_REAL(pthread_cond_wait)(condition, mutex);
  process::note_given_up(mutex);
  const int error = wait_shown_or_cancelled(board::WaitKind::kCondition, condition, site, [=] {
    return WEFT_REAL(pthread_cond_wait)(condition, mutex);
  });
  process::note_taken(mutex, site);
  return error;
}

int wait_for_condition(pthread_cond_t* condition, pthread_mutex_t* mutex,
                       std::optional<std::int64_t> until_ns) {
  const ParkingKey key = key_of(condition);
  Sleeper sleeper;
  parking().enqueue(key, sleeper);
  if (const int error = unlock_any_mutex(mutex); error != 0) {
    parking().leave(key, sleeper);
    return error;
  }
  const Awoken end = parking().sleep_cancellably(key, sleeper, until_ns);
  if (const int error = lock_any_mutex(mutex); error != 0) return error;
  if (end == Awoken::kByCancellation) return kCancelled;
  return end == Awoken::kByWake ? 0 : ETIMEDOUT;
}

int end_of_wait(int error) {
  if (error != kCancelled) return error;
  pthread_testcancel();
  return 0;
}

void signal_condition(const pthread_cond_t* condition, std::uint32_t count) {
  // Nothing is known of which mutex it is: of threads that hold one it mostly is the condition's.
  const bool has_mutex = board::this_thread().held_count.load(board::kRelaxed) > 0;
  if (has_mutex) return parking().wake(key_of(condition), count);
  parking().wake_releasing(key_of(condition), count);
}

WEFT_ENTRY(int, pthread_cond_wait, pthread_cond_t* condition, pthread_mutex_t* mutex) {
  const void* site = __builtin_return_address(0);
  if (job_of_both(condition, mutex) == nullptr) return wait_in_process(condition, mutex, site);
  begin_cancellable_call();
  return end_of_wait(on_runtime_stack([&] {
    const board::Purpose purpose(board::WaitKind::kCondition, key_of(condition), nullptr, site);
    return wait_for_condition(condition, mutex, std::nullopt);
  }));
}

WEFT_ENTRY(int, pthread_cond_clockwait, pthread_cond_t* condition, pthread_mutex_t* mutex,
           clockid_t clock, const timespec* time) {
  if (job_of_both(condition, mutex) == nullptr) {
    return WEFT_REAL(pthread_cond_clockwait)(condition, mutex, clock, time);
  }
  const timespec when = *time;
  if (!is_valid(when) || !is_clock(clock)) return EINVAL;
  begin_cancellable_call();
  const void* site = __builtin_return_address(0);
  return end_of_wait(on_runtime_stack([&] {
    const board::Purpose purpose(board::WaitKind::kCondition, key_of(condition), nullptr, site);
    return wait_for_condition(condition, mutex, monotonic(clock, when));
  }));
}

WEFT_ENTRY(int, pthread_cond_timedwait, pthread_cond_t* condition, pthread_mutex_t* mutex,
           const timespec* time) {
  if (job_of_both(condition, mutex) == nullptr) {
    return WEFT_REAL(pthread_cond_timedwait)(condition, mutex, time);
  }
  return weft_entry_pthread_cond_clockwait(condition, mutex, clock_of(condition), time);
}

WEFT_ENTRY(int, pthread_cond_signal, pthread_cond_t* condition) {
  if (job_of(condition) == nullptr) return WEFT_REAL(pthread_cond_signal)(condition);
  on_runtime_stack([&] { signal_condition(condition, 1); });
  return 0;
}

WEFT_ENTRY(int, pthread_cond_broadcast, pthread_cond_t* condition) {
  if (job_of(condition) == nullptr) return WEFT_REAL(pthread_cond_broadcast)(condition);
  on_runtime_stack([&] { signal_condition(condition, kWakeAll); });
  return 0;
}

// The C library's would wait for threads that it believes to be leaving.
WEFT_ENTRY(int, pthread_cond_destroy, pthread_cond_t* condition) {
  return job_of(condition) == nullptr ? WEFT_REAL(pthread_cond_destroy)(condition) : 0;
}

}  // namespace weft::pthread
