// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Semaphores. sem_init is the C library's; it leaves the value in the first four bytes. Named ones
// (sem_open) are in private memory, and so the node's that opened them.
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>

#include "pthread/cancellation/cancellable.hpp"
#include "pthread/waiting/monitor.hpp"
#include "pthread/waiting/objects.hpp"
#include "pthread/waiting/shown_waits.hpp"
#include "runtime/board/board.hpp"
#include "runtime/interface/move_points.hpp"
#include "stacks/stacks.hpp"

namespace weft::pthread {
namespace {

struct State {
  std::uint32_t value;
  std::uint32_t waiters;
};
static_assert(sizeof(State) <= sizeof(sem_t));

State& state_of(sem_t* semaphore) { return *reinterpret_cast<State*>(semaphore); }

int failed(int error) {
  errno = error;
  return -1;
}

int wait(Node& node, sem_t* semaphore, std::optional<std::int64_t> until_ns) {
  State& state = state_of(semaphore);
  Monitor monitor(node, semaphore);
  while (state.value == 0) {
    ++state.waiters;
    const Awoken end = monitor.wait_interruptibly(until_ns);
    --state.waiters;
    if (end == Awoken::kByCancellation) return kCancelled;
    if (end == Awoken::kByTime && state.value == 0) return ETIMEDOUT;
    if (end == Awoken::kByHandler && state.value == 0) return EINTR;
  }
  --state.value;
  return 0;
}

// The C library's.
int wait_in_process(sem_t* semaphore, const void* site) {
  if (!waits_are_shown() || program_cancels.load(std::memory_order_relaxed))
    return WEFT_REAL(sem_wait)(semaphore);
  const int before = errno;
  if (WEFT_REAL(sem_trywait)(semaphore) == 0) return 0;
  errno = before;
  return wait_shown(board::WaitKind::kSemaphore, semaphore, site,
                    [semaphore] { return WEFT_REAL(sem_wait)(semaphore); });
}

// What the call returns; a thread that was cancelled ends here.
int result_of(int error) {
  if (error == kCancelled) pthread_testcancel();
  return error == 0 ? 0 : failed(error == kCancelled ? EINTR : error);
}

int post(Node& node, sem_t* semaphore) {
  State& state = state_of(semaphore);
  Monitor monitor(node, semaphore);
  if (state.value == SEM_VALUE_MAX) return EOVERFLOW;
  ++state.value;
  if (state.waiters > 0) monitor.wake(1);
  return 0;
}

}  // namespace

WEFT_ENTRY(int, sem_wait, sem_t* semaphore) {
  Node* node = job_of(semaphore);
  const void* site = __builtin_return_address(0);
  if (node == nullptr) return wait_in_process(semaphore, site);
  begin_cancellable_call();
  node = pass_move_point(node);
  return result_of(on_runtime_stack([&] {
    const board::Purpose purpose(board::WaitKind::kSemaphore,
                                 reinterpret_cast<std::uintptr_t>(semaphore), nullptr, site);
    return wait(*node, semaphore, std::nullopt);
  }));
}

WEFT_ENTRY(int, sem_trywait, sem_t* semaphore) {
  Node* node = job_of(semaphore);
  if (node == nullptr) return WEFT_REAL(sem_trywait)(semaphore);
  const bool taken = on_runtime_stack([&] {
    Monitor monitor(*node, semaphore);
    if (state_of(semaphore).value == 0) return false;
    --state_of(semaphore).value;
    return true;
  });
  return taken ? 0 : failed(EAGAIN);
}

WEFT_ENTRY(int, sem_clockwait, sem_t* semaphore, clockid_t clock, const timespec* time) {
  Node* node = job_of(semaphore);
  if (node == nullptr) return WEFT_REAL(sem_clockwait)(semaphore, clock, time);
  const timespec when = *time;
  if (!is_valid(when) || !is_clock(clock)) return failed(EINVAL);
  begin_cancellable_call();
  node = pass_move_point(node);
  return result_of(
      on_runtime_stack([&] { return wait(*node, semaphore, monotonic(clock, when)); }));
}

WEFT_ENTRY(int, sem_timedwait, sem_t* semaphore, const timespec* time) {
  if (job_of(semaphore) == nullptr) return WEFT_REAL(sem_timedwait)(semaphore, time);
  return weft_entry_sem_clockwait(semaphore, CLOCK_REALTIME, time);
}

WEFT_ENTRY(int, sem_post, sem_t* semaphore) {
  Node* node = job_of(semaphore);
  if (node == nullptr) return WEFT_REAL(sem_post)(semaphore);
  const int error = on_runtime_stack([&] { return post(*node, semaphore); });
  return error == 0 ? 0 : failed(error);
}

WEFT_ENTRY(int, sem_getvalue, sem_t* semaphore, int* value) {
  Node* node = job_of(semaphore);
  if (node == nullptr) return WEFT_REAL(sem_getvalue)(semaphore, value);
  *value = on_runtime_stack([&] {
    const Monitor monitor(*node, semaphore);
    return static_cast<int>(state_of(semaphore).value);
  });
  return 0;
}

}  // namespace weft::pthread
