// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often the program has printed on this node. The C library's functions that Weft takes over
// count it (libc/io_*.cpp); who lets other nodes go on looks whether there is something that must
// come first (runtime/output/output_order.hpp).
#pragma once

#include <stdio_ext.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>

namespace weft {

inline constinit std::atomic<std::uint64_t> printed_count = 0;

// Around an output, and counted behind it, if it is on standard output or error.
class Printed {
 public:
  explicit Printed(const FILE* stream) : is_counted_(stream == stdout || stream == stderr) {}
  explicit Printed(int descriptor)
      : is_counted_(descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO) {}
  ~Printed() {
    if (is_counted_) printed_count.fetch_add(1, std::memory_order_relaxed);
  }
  Printed(const Printed&) = delete;
  Printed& operator=(const Printed&) = delete;

 private:
  const bool is_counted_;
};

// Of a stream that is about to be flushed: null if it is neither of these, or has nothing to flush.
// Nodes flush all the time, so that would call for order all the time.
inline const FILE* with_output(FILE* stream) {
  if (stream == nullptr) stream = stdout;
  return (stream == stdout || stream == stderr) && __fpending(stream) > 0 ? stream : nullptr;
}

}  // namespace weft
