// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of all locks of a job: this is the one list of their kinds. A lock of the program is
// named by the address of its variable and by its use; kinds never collide, as the low bits say
// which it is. Weft's own locks stand for no variable, and have small numbers.
#pragma once

#include <cstdint>

#include "base/ids.hpp"

namespace weft {

enum class LockKind : std::uint64_t {
  kOwn = 0,          // Weft's own, see OwnLock
  kCritical = 1,     // OpenMP: a critical region, by its name; also a reduction's
  kLock = 2,         // OpenMP: omp_lock_t
  kNestLock = 3,     // OpenMP: omp_nest_lock_t
  kMutex = 4,        // threads: a mutex or spin lock
  kMonitor = 5,      // threads: guards the state of any other object
  kStaticGuard = 6,  // C++: the guard of a static local variable
  kAtomic = 7,       // an object that the processor cannot operate on at once
};
inline constexpr unsigned kLockKindBits = 3;

enum class OwnLock : std::uint64_t {
  kOldAtomics = 2,  // OpenMP: held during an atomic operation of the compilers' old form
  kAllocators = 3,  // OpenMP: guards the limited pools of allocators
  kLoading = 4,     // held by whoever loads a library on all nodes
  kMaps = 5,        // guards the knowledge of the files that the program has mapped
};

[[nodiscard]] inline LockId lock_of(LockKind kind, const void* variable) {
  return LockId((reinterpret_cast<std::uint64_t>(variable) << kLockKindBits) |
                static_cast<std::uint64_t>(kind));
}
[[nodiscard]] constexpr LockId lock_of(OwnLock lock) {
  return LockId(static_cast<std::uint64_t>(lock) << kLockKindBits |
                static_cast<std::uint64_t>(LockKind::kOwn));
}

}  // namespace weft
