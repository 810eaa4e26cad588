// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which thread of this node holds which lock of the job, and how often: the engine knows of nodes
// alone. For locks that their holder may take again, or that only their holder may give up.
#pragma once

#include <mutex>
#include <unordered_map>

#include "base/ids.hpp"
#include "base/signal_safe_mutex.hpp"

namespace weft {

class HeldLocks {
 public:
  // If the calling thread holds the lock: counts once more, and returns the count; else 0.
  int count_again(LockId lock);
  [[nodiscard]] bool is_mine(LockId lock);
  [[nodiscard]] bool is_held(LockId lock);
  // The calling thread has acquired it.
  void took(LockId lock);
  // Whoever calls. True if the lock is now to be released.
  bool count_down(LockId lock);

 private:
  struct Held {
    const void* owner;
    int count;
  };
  // Nothing blocks under this lock.
  SignalSafeMutex guard_;
  std::unordered_map<LockId, Held> held_;
};

}  // namespace weft
