// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutexes and spin locks. The C library's pthread_mutex_init writes the kind into the object, with
// plain stores that reach other nodes like any others of the program. Robust mutexes and those with
// a priority protocol are plain ones here: the job ends when one of its threads dies.
#include "pthread/synchronisation/mutexes.hpp"

#include <cerrno>

#include "base/futex.hpp"
#include "base/locks/lock_ids.hpp"
#include "pthread/load/private_locks.hpp"
#include "pthread/synchronisation/process_mutexes.hpp"
#include "pthread/waiting/objects.hpp"
#include "runtime/board/board.hpp"
#include "runtime/interface/move_points.hpp"
#include "runtime/services/delegation.hpp"
#include "stacks/stacks.hpp"

namespace weft::pthread {
namespace {

HeldLocks& held() {
  static HeldLocks& locks = *new HeldLocks;  // threads may use it until the process is gone
  return locks;
}

int kind_of(const pthread_mutex_t& mutex) {
  constexpr int kKindMask = 3;  // what is above are options
  return mutex.__data.__kind & kKindMask;
}

// What the calling thread, which may hold it already, has to be told at once; else -1.
int answer_to_holder(LockId lock, int kind, int when_errorcheck) {
  if (kind == PTHREAD_MUTEX_RECURSIVE && held().count_again(lock) != 0) return 0;
  if (kind == PTHREAD_MUTEX_ERRORCHECK && held().is_mine(lock)) return when_errorcheck;
  return -1;
}

bool try_acquire(Node& node, LockId lock) {
  if (!node.try_acquire(lock)) return false;
  held().took(lock);
  return true;
}

bool acquire_until(Node& node, LockId lock, std::int64_t until_ns) {
  // The engine's queue cannot be left: ask now and then.
  const std::atomic<std::uint32_t> never = 0;
  constexpr std::int64_t kLongestPause = 1'000'000;
  for (std::int64_t pause = 20'000; !try_acquire(node, lock);) {
    const std::int64_t now = now_ns();
    if (now >= until_ns) return false;
    node.wait_while(never, 0, std::min(now + pause, until_ns));
    pause = std::min(2 * pause, kLongestPause);
  }
  return true;
}

// Undefined for a normal mutex. An error, if nobody on whatever node has it.
int unlock_unheld(Node& node, LockId lock) {
  if (node.try_acquire(lock)) {
    node.release(lock);
    return EPERM;
  }
  node.fail("the program unlocks a mutex that a thread of another node has locked");
}

// The thread has come with the lock from that node, or from one before it.
void release_at(NodeId keeper, LockId lock) {
  board::note_given_up(lock.value());
  (void)delegate(keeper, Delegated::kMutex, to_bytes(lock));
}

Bytes release_for_other_node(ByteView request) {
  const auto lock = value_of<LockId>(request);
  held().drop(lock);
  this_node()->release(lock);
  return {};
}

// Nothing while it is held once more.
void finish_release(Node& node, LockId lock, const HeldLocks::GivenUp& given_up) {
  if (!given_up.is_free) return;
  if (given_up.keeper == kNoNode) {
    node.release(lock);
  } else {
    release_at(given_up.keeper, lock);
  }
}

int release(Node& node, LockId lock) {
  const auto given_up = held().count_down(lock);
  if (!given_up) return unlock_unheld(node, lock);
  finish_release(node, lock, *given_up);
  return 0;
}

// The address is the lock's name, so this may still be held by who had one here before.
void make_free(Node& node, LockId lock) {
  while (const auto given_up = held().count_down(lock)) finish_release(node, lock, *given_up);
}

LockId lock_id(const pthread_mutex_t& mutex) { return lock_of(LockKind::kMutex, &mutex); }
LockId lock_id(pthread_spinlock_t* lock) {
  return lock_of(LockKind::kMutex, const_cast<const int*>(lock));
}

}  // namespace

int lock_mutex(Node& node, const pthread_mutex_t& mutex) {
  const LockId lock = lock_id(mutex);
  if (const int answer = answer_to_holder(lock, kind_of(mutex), EDEADLK); answer >= 0)
    return answer;
  const board::Purpose purpose(board::WaitKind::kLock, lock.value());
  node.acquire(lock);
  held().took(lock);
  return 0;
}

int try_lock_mutex(Node& node, const pthread_mutex_t& mutex) {
  const LockId lock = lock_id(mutex);
  if (const int answer = answer_to_holder(lock, kind_of(mutex), EBUSY); answer >= 0) return answer;
  return try_acquire(node, lock) ? 0 : EBUSY;
}

int lock_mutex_until(Node& node, const pthread_mutex_t& mutex, std::int64_t until_ns) {
  const LockId lock = lock_id(mutex);
  if (const int answer = answer_to_holder(lock, kind_of(mutex), EDEADLK); answer >= 0)
    return answer;
  return acquire_until(node, lock, until_ns) ? 0 : ETIMEDOUT;
}

int unlock_mutex(Node& node, const pthread_mutex_t& mutex) {
  const LockId lock = lock_id(mutex);
  const int kind = kind_of(mutex);
  const bool is_checked = kind == PTHREAD_MUTEX_RECURSIVE || kind == PTHREAD_MUTEX_ERRORCHECK;
  if (is_checked && !held().is_mine(lock)) return EPERM;
  return release(node, lock);
}

void serve_mutexes() { perform_delegated(Delegated::kMutex, release_for_other_node); }

bool holds_other_locks() {
  const std::uint32_t held_count = board::this_thread().held_count.load(board::kRelaxed);
  return held_count > 0 && held_count > held().count_of_mine();
}

std::vector<CarriedLock> carry_off_mutexes(const Node& node) {
  if (board::this_thread().held_count.load(board::kRelaxed) == 0) return {};
  std::vector<CarriedLock> locks = held().carry_off(node.self());
  for (const CarriedLock& each : locks) board::note_given_up(each.lock.value());
  return locks;
}

void take_over_mutexes(const Node& node, const std::vector<CarriedLock>& locks) {
  held().take_over(locks, node.self());
  for (const CarriedLock& each : locks) board::note_taken(each.lock.value());
}

void make_mutex_free(Node& node, const pthread_mutex_t& mutex) { make_free(node, lock_id(mutex)); }

int lock_any_mutex(pthread_mutex_t* mutex) {
  Node* node = job_of(mutex);
  return node == nullptr ? WEFT_REAL(pthread_mutex_lock)(mutex) : lock_mutex(*node, *mutex);
}

int unlock_any_mutex(pthread_mutex_t* mutex) {
  Node* node = job_of(mutex);
  return node == nullptr ? WEFT_REAL(pthread_mutex_unlock)(mutex) : unlock_mutex(*node, *mutex);
}

WEFT_ENTRY(int, pthread_mutex_init, pthread_mutex_t* mutex, const pthread_mutexattr_t* kind) {
  const int error = WEFT_REAL(pthread_mutex_init)(mutex, kind);
  Node* node = job_of(mutex);
  if (node != nullptr && error == 0) on_runtime_stack([&] { make_mutex_free(*node, *mutex); });
  return error;
}

WEFT_ENTRY(int, pthread_mutex_destroy, pthread_mutex_t* mutex) {
  Node* node = job_of(mutex);
  if (node == nullptr) return WEFT_REAL(pthread_mutex_destroy)(mutex);
  return on_runtime_stack([&] { return held().is_held(lock_id(*mutex)) ? EBUSY : 0; });
}

WEFT_ENTRY(int, pthread_mutex_lock, pthread_mutex_t* mutex) {
  Node* node = job_of(mutex);
  const void* site = __builtin_return_address(0);
  if (node == nullptr) return process::lock(mutex, site);
  node = pass_move_point(node);
  return on_runtime_stack([&] {
    const board::Purpose purpose(board::WaitKind::kLock, lock_id(*mutex).value(), nullptr, site);
    return lock_mutex(*node, *mutex);
  });
}

WEFT_ENTRY(int, pthread_mutex_trylock, pthread_mutex_t* mutex) {
  Node* node = job_of(mutex);
  if (node == nullptr) return process::try_lock(mutex, __builtin_return_address(0));
  return on_runtime_stack([&] { return try_lock_mutex(*node, *mutex); });
}

WEFT_ENTRY(int, pthread_mutex_clocklock, pthread_mutex_t* mutex, clockid_t clock,
           const timespec* time) {
  Node* node = job_of(mutex);
  if (node == nullptr) return process::lock_until(mutex, clock, time, __builtin_return_address(0));
  if (!is_clock(clock)) return EINVAL;
  const timespec when = *time;
  node = pass_move_point(node);
  return on_runtime_stack([&] {
    if (const int error = try_lock_mutex(*node, *mutex); error != EBUSY) return error;
    if (!is_valid(when)) return EINVAL;
    return lock_mutex_until(*node, *mutex, monotonic(clock, when));
  });
}

WEFT_ENTRY(int, pthread_mutex_timedlock, pthread_mutex_t* mutex, const timespec* time) {
  if (job_of(mutex) == nullptr)
    return process::lock_until(mutex, CLOCK_REALTIME, time, __builtin_return_address(0));
  return weft_entry_pthread_mutex_clocklock(mutex, CLOCK_REALTIME, time);
}

WEFT_ENTRY(int, pthread_mutex_unlock, pthread_mutex_t* mutex) {
  Node* node = job_of(mutex);
  if (node == nullptr) return process::unlock(mutex);
  return on_runtime_stack([&] { return unlock_mutex(*node, *mutex); });
}

WEFT_ENTRY(int, pthread_spin_init, pthread_spinlock_t* lock, int shared) {
  const int error = WEFT_REAL(pthread_spin_init)(lock, shared);
  Node* node = job_of(const_cast<int*>(lock));
  if (node != nullptr && error == 0) on_runtime_stack([&] { make_free(*node, lock_id(lock)); });
  return error;
}

WEFT_ENTRY(int, pthread_spin_lock, pthread_spinlock_t* lock) {
  Node* node = job_of(const_cast<int*>(lock));
  if (node == nullptr) return took_private_lock(WEFT_REAL(pthread_spin_lock)(lock));
  node = pass_move_point(node);
  const void* site = __builtin_return_address(0);
  on_runtime_stack([&] {
    const board::Purpose purpose(board::WaitKind::kLock, lock_id(lock).value(), nullptr, site);
    node->acquire(lock_id(lock));
    held().took(lock_id(lock));
  });
  return 0;
}

WEFT_ENTRY(int, pthread_spin_trylock, pthread_spinlock_t* lock) {
  Node* node = job_of(const_cast<int*>(lock));
  if (node == nullptr) return took_private_lock(WEFT_REAL(pthread_spin_trylock)(lock));
  return on_runtime_stack([&] { return try_acquire(*node, lock_id(lock)) ? 0 : EBUSY; });
}

WEFT_ENTRY(int, pthread_spin_unlock, pthread_spinlock_t* lock) {
  Node* node = job_of(const_cast<int*>(lock));
  if (node == nullptr) return gave_up_private_lock(WEFT_REAL(pthread_spin_unlock)(lock));
  return on_runtime_stack([&] { return release(*node, lock_id(lock)); });
}

}  // namespace weft::pthread
