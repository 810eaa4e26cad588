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
  explicit StreamLock(FILE* stream) : stream_(stream) { flockfile(stream_); }
  ~StreamLock() { funlockfile(stream_); }
  StreamLock(const StreamLock&) = delete;
  StreamLock& operator=(const StreamLock&) = delete;

 private:
  const CancellationHeld uncancelled_;
  FILE* const stream_;
};

}  // namespace weft::libc
