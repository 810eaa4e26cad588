// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of all locks of a job. A lock of the program is named by the address of its variable
// and by what it is used as; kinds never collide, as the low bits say which it is. Locks that stand
// for no variable have small numbers.
#pragma once

#include <cstdint>

#include "base/ids.hpp"

namespace weft {

enum class LockKind : std::uint64_t {
  kOwn = 0,          // no variable: see below
  kCritical = 1,     // OpenMP: a critical region's name
  kLock = 2,         // OpenMP: omp_lock_t
  kNestLock = 3,     // OpenMP: omp_nest_lock_t
  kMutex = 4,        // threads: a mutex or spin lock
  kMonitor = 5,      // threads: guards the state of any other object
  kStaticGuard = 6,  // C++: the guard of a static local variable
  kAtomic = 7,       // an object that the processor cannot operate on at once
};
inline constexpr unsigned kLockKindBits = 3;

[[nodiscard]] inline LockId lock_of(LockKind kind, const void* variable) {
  return LockId((reinterpret_cast<std::uint64_t>(variable) << kLockKindBits) |
                static_cast<std::uint64_t>(kind));
}

// Behind OpenMP's old form of atomic operations.
inline constexpr LockId kAtomicLock{2U << kLockKindBits};
// Behind the limited pools of OpenMP allocators.
inline constexpr LockId kAllocatorLock{3U << kLockKindBits};
// Held by whoever loads a library on all nodes.
inline constexpr LockId kLoadingLock{4U << kLockKindBits};
// Guards what is known of the files that the program has mapped.
inline constexpr LockId kMapsLock{5U << kLockKindBits};

}  // namespace weft
