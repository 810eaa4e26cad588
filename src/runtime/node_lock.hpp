// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lock under which all work on a node's engine is done. A signal handler of the program may
// touch a missing page, whose fault takes this lock: so the thread that has it holds its signals
// back.
#pragma once

#include <mutex>

#include "libc/signals.hpp"

namespace weft {

class NodeLock {
 public:
  void lock() {
    libc::hold_signals();
    mutex_.lock();
  }
  bool try_lock() {
    libc::hold_signals();
    if (mutex_.try_lock()) return true;
    libc::release_signals();
    return false;
  }
  void unlock() {
    mutex_.unlock();
    libc::release_signals();
  }

 private:
  std::mutex mutex_;
};

}  // namespace weft
