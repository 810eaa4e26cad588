// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// weft/weft.h on one node, where all memory is here. The node library has the definitions for
// several (src/api).
#include <pthread.h>

#include <cerrno>
#include <cstdlib>

#include "base/accesses/shared_calls.hpp"
#include "include/weft/weft.h"
#include "start/visibility.hpp"

using weft::SharedCall;

extern "C" {

WEFT_EXPORT const char* weft_error_text(int error) { return weft::shared_call_error(error); }
WEFT_EXPORT int weft_node() { return 0; }
WEFT_EXPORT int weft_nodes() { return 1; }
WEFT_EXPORT int weft_home_of(const void* address) {
  return address == nullptr ? WEFT_ERROR_RANGE : 0;
}

WEFT_EXPORT void* weft_alloc_on(int node, size_t bytes) {
  if (node != 0) {
    errno = EINVAL;
    return nullptr;
  }
  void* block = nullptr;
  const int error = posix_memalign(&block, weft::kPageBytes, bytes);
  if (error == 0) return block;
  errno = error;
  return nullptr;
}

WEFT_EXPORT int weft_thread_on(int node) {
  return node == 0 || node == WEFT_ANY_NODE ? WEFT_OK : WEFT_ERROR_NODE;
}

// No thread can move, and none has to. A cancellation point, as on several nodes.
WEFT_EXPORT int weft_migrate(int node) {
  pthread_testcancel();
  return node == 0 ? WEFT_OK : WEFT_ERROR_NODE;
}

WEFT_EXPORT int weft_check_out(const void* address, size_t bytes, weft_access access) {
  return SharedCall::of(address, bytes, 0, 1, access).error;
}
WEFT_EXPORT int weft_check_out_begin(const void* address, size_t bytes, weft_access access) {
  return SharedCall::of(address, bytes, 0, 1, access).error;
}
WEFT_EXPORT int weft_check_out_strided(const void* address, size_t block_bytes, size_t stride_bytes,
                                       size_t count, weft_access access) {
  return SharedCall::of(address, block_bytes, stride_bytes, count, access).error;
}
WEFT_EXPORT int weft_check_out_strided_begin(const void* address, size_t block_bytes,
                                             size_t stride_bytes, size_t count,
                                             weft_access access) {
  return SharedCall::of(address, block_bytes, stride_bytes, count, access).error;
}
WEFT_EXPORT int weft_commit(const void* address, size_t bytes) {
  return SharedCall::of(address, bytes, 0, 1).error;
}
WEFT_EXPORT int weft_commit_strided(const void* address, size_t block_bytes, size_t stride_bytes,
                                    size_t count) {
  return SharedCall::of(address, block_bytes, stride_bytes, count).error;
}

}  // extern "C"
