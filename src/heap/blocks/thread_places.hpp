// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which arena a thread takes its small blocks from: one of its own, until it ends, as long as there
// are no more threads than arenas. Further threads share them.
#pragma once

namespace weft::heap {

inline constexpr unsigned kArenas = 64;

struct ThreadPlace {
  unsigned arena = 0;
  bool is_alone = false;  // no other thread that is alone there has this arena
};

// The calling thread's. `at_end` is called once when the thread ends, from its own destructors, and
// only if this has been called before; then the arena is free for another.
[[nodiscard]] ThreadPlace place_of_thread(void (*at_end)());

}  // namespace weft::heap
