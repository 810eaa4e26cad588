// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whose calls of the C library these are. A library that Weft uses opens files at moments that
// nobody else knows, on threads of the program, and under Weft's locks: they must not become the
// program's.
#pragma once

#include <utility>

namespace weft {

// While it lives, what the calling thread opens is Weft's.
class OwnCalls {
 public:
  OwnCalls() : outer_(std::exchange(here_, true)) {}
  ~OwnCalls() { here_ = outer_; }
  OwnCalls(const OwnCalls&) = delete;
  OwnCalls& operator=(const OwnCalls&) = delete;

  [[nodiscard]] static bool here() { return here_; }

 private:
  static inline constinit thread_local bool here_ = false;
  const bool outer_;
};

}  // namespace weft
