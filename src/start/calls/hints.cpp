// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// weft/hints.h on one node, where nothing has to come or go. The node library has the definitions
// for several (src/api).
#include "include/weft/hints.h"
#include "base/accesses/shared_calls.hpp"
#include "base/locks/critical_names.hpp"
#include "start/visibility.hpp"

namespace {

int check(const void* address, size_t bytes) {
  return weft::SharedCall::of(address, bytes, 0, 1).error;
}

int check_divided(const void* address, size_t bytes, size_t unit_bytes,
                  weft_distribution distribution) {
  if (!weft::is_division(unit_bytes, distribution, 1)) return WEFT_ERROR_DISTRIBUTION;
  return check(address, bytes);
}

}  // namespace

extern "C" {

WEFT_EXPORT int weft_broadcast(const void* address, size_t bytes) { return check(address, bytes); }
WEFT_EXPORT int weft_scatter(const void* address, size_t bytes, size_t unit_bytes,
                             weft_distribution distribution) {
  return check_divided(address, bytes, unit_bytes, distribution);
}
WEFT_EXPORT int weft_gather(const void* address, size_t bytes) { return check(address, bytes); }
WEFT_EXPORT int weft_alltoall(const void* address, size_t bytes) { return check(address, bytes); }
WEFT_EXPORT int weft_read_mostly(const void* address, size_t bytes) {
  return check(address, bytes);
}
WEFT_EXPORT int weft_home(const void* address, size_t bytes, size_t unit_bytes,
                          weft_distribution distribution) {
  return check_divided(address, bytes, unit_bytes, distribution);
}
WEFT_EXPORT int weft_private_after_init(const void* address, size_t bytes) {
  return check(address, bytes);
}
WEFT_EXPORT int weft_migrate_with(const void* address, size_t bytes, const void* lock) {
  return lock == nullptr ? WEFT_ERROR_RANGE : check(address, bytes);
}
WEFT_EXPORT int weft_migrate_with_critical(const void* address, size_t bytes, const char* name) {
  if (weft::critical_lock(name) == nullptr) return WEFT_ERROR_NAME;
  return check(address, bytes);
}
WEFT_EXPORT int weft_forget_hints(const void* address, size_t bytes) {
  return check(address, bytes);
}

}  // extern "C"
