// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks in private memory that a thread holds: a library's, say. They are the C library's, and
// their node's, so a thread with one must not be moved. A lock that another thread gives up is
// counted for good by the one that took it, which then stays where it is.
#pragma once

namespace weft::pthread {

inline constinit thread_local unsigned private_locks = 0;

// With the error with which the C library's function has returned.
inline int took_private_lock(int error) {
  if (error == 0) ++private_locks;
  return error;
}
inline int gave_up_private_lock(int error) {
  if (error == 0 && private_locks > 0) --private_locks;
  return error;
}

}  // namespace weft::pthread
