// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/synchronisation/process_mutexes.hpp"

#include <cerrno>

#include "base/locks/lock_ids.hpp"
#include "libc/interposition/interpose.hpp"
#include "pthread/load/private_locks.hpp"
#include "pthread/waiting/objects.hpp"
#include "pthread/waiting/shown_waits.hpp"

namespace weft::pthread::process {
namespace {

std::uint64_t name_of(const pthread_mutex_t* mutex) {
  return lock_of(LockKind::kMutex, mutex).value();
}

// With the error with which the C library's function has returned. The thread has a robust mutex
// also if the last one that had it has died.
int took(const pthread_mutex_t* mutex, const void* site, int error) {
  if (error == 0 || error == EOWNERDEAD) note_taken(mutex, site);
  return error;
}

}  // namespace

void note_taken(const pthread_mutex_t* mutex, const void* site) {
  // Weft's own threads take none but private ones, and have no business on the board. Others are
  // looked at once.
  if (board::has_slot() || is_programs(mutex)) board::note_taken(name_of(mutex), nullptr, site);
}

void note_given_up(const pthread_mutex_t* mutex) {
  if (board::has_slot()) board::note_given_up(name_of(mutex));
}

int lock(pthread_mutex_t* mutex, const void* site) {
  if (!waits_are_shown()) return took_private_lock(WEFT_REAL(pthread_mutex_lock)(mutex));
  // Most are free. A recursive one that the thread has counts as such; what else it is to be told
  // of its own, pthread_mutex_lock says.
  int error = WEFT_REAL(pthread_mutex_trylock)(mutex);
  if (error == EBUSY) {
    error = wait_shown(board::WaitKind::kLock, mutex, name_of(mutex), site,
                       [mutex] { return WEFT_REAL(pthread_mutex_lock)(mutex); });
  }
  return took(mutex, site, error);
}

int try_lock(pthread_mutex_t* mutex, const void* site) {
  const int error = WEFT_REAL(pthread_mutex_trylock)(mutex);
  return waits_are_shown() ? took(mutex, site, error) : took_private_lock(error);
}

// A wait that ends by itself need not be shown.
int lock_until(pthread_mutex_t* mutex, clockid_t clock, const timespec* time, const void* site) {
  const int error = WEFT_REAL(pthread_mutex_clocklock)(mutex, clock, time);
  return waits_are_shown() ? took(mutex, site, error) : took_private_lock(error);
}

int unlock(pthread_mutex_t* mutex) {
  if (!waits_are_shown()) return gave_up_private_lock(WEFT_REAL(pthread_mutex_unlock)(mutex));
  note_given_up(mutex);  // before another thread can have it
  return WEFT_REAL(pthread_mutex_unlock)(mutex);
}

}  // namespace weft::pthread::process
