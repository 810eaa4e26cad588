// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The spans from which one thread (or a few, if there are more threads than arenas) takes its small
// blocks. Blocks of different threads thus lie on different pages, and threads seldom meet at a
// lock. Any thread may give a block back.
//
// The caller holds `mutex`. Nothing here touches shared memory.
#pragma once

#include <array>
#include <mutex>
#include <vector>

#include "base/signal_safe_mutex.hpp"
#include "heap/blocks/span.hpp"

namespace weft::heap {

class Arena {
 public:
  SignalSafeMutex mutex;

  struct Taken {
    Span* span = nullptr;  // null: no free block of this class here
    Block block;
  };
  Taken take(SizeClass size_class);
  // Makes a new span the one to take from.
  void install(Span* span);
  // Gives a block back. True if the span has become empty and was let go: the caller frees it.
  [[nodiscard]] bool give(Span* span, std::size_t index);
  // Lets the empty spans go that were kept for the next allocation, and returns them.
  [[nodiscard]] std::vector<Span*> release_empty();

 private:
  void list(Span* span);
  void unlist(Span* span);

  std::array<Span*, kSizeClassCount> current_{};
  std::array<std::vector<Span*>, kSizeClassCount> with_free_blocks_;  // never the current one
};

}  // namespace weft::heap
