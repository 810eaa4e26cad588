// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stream's lock through several calls of the C library. Each of them may be where the thread is
// cancelled, and what is unwound then runs nothing in Weft's frames: the lock would stay. So the
// thread is not cancelled while it has it.
#pragma once

#include <cstdio>

#include "base/threads/held_cancellation.hpp"

namespace weft::libc {

class StreamLock {
 public:
  StreamLock() = default;
  explicit StreamLock(FILE* stream) { lock(stream); }
  ~StreamLock() {
    if (stream_ == nullptr) [[likely]]
      return;
    funlockfile(stream_);
    let_in_cancellation(before_);
  }
  StreamLock(const StreamLock&) = delete;
  StreamLock& operator=(const StreamLock&) = delete;

  // Once.
  void lock(FILE* stream) {
    before_ = hold_cancellation();
    flockfile(stream);
    stream_ = stream;
  }

 private:
  FILE* stream_ = nullptr;
  int before_ = kNotHeld;
};

}  // namespace weft::libc
