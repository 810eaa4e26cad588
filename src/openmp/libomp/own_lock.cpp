// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/libomp/own_lock.hpp"

#include <map>
#include <mutex>

#include "base/signal_safe_mutex.hpp"

namespace weft::openmp {

void* own_lock(void* lock) {
  struct Name {
    alignas(64) char bytes[64] = {};
  };
  static SignalSafeMutex guard;
  static std::map<void*, Name> names;  // its elements stay where they are
  const std::lock_guard locked(guard);
  return &names[lock];
}

}  // namespace weft::openmp
