// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ends of threads of this node, with their places (runtime/addresses/thread_places.hpp), which
// other threads may then have. Ids are the C library's.
#pragma once

#include <pthread.h>

#include "base/threads/held_cancellation.hpp"
#include "libc/interposition/interpose.hpp"
#include "pthread/cancellation/cancellable.hpp"
#include "runtime/addresses/thread_places.hpp"

namespace weft::pthread {

inline int joined(int error, pthread_t id) {
  if (error == 0) joined_at_place(id);
  return error;
}

inline int join_own(pthread_t id, void** result) {
  return joined(WEFT_REAL(pthread_join)(id, result), id);
}

inline int try_to_join_own(pthread_t id, void** result) {
  return joined(WEFT_REAL(pthread_tryjoin_np)(id, result), id);
}

inline int join_own_until(pthread_t id, void** result, clockid_t clock, const timespec* time) {
  return joined(WEFT_REAL(pthread_clockjoin_np)(id, result, clock, time), id);
}

inline int cancel_own(pthread_t id) {
  program_cancels = true;  // in case that nothing showed it before
  const int error = WEFT_REAL(pthread_cancel)(id);
  if (error == 0) note_cancelled(id);
  return error;
}

inline int detach_own(pthread_t id) {
  const int error = WEFT_REAL(pthread_detach)(id);
  if (error == 0) detached_at_place(id);
  return error;
}

}  // namespace weft::pthread
