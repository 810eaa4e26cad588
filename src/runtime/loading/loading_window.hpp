// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the dynamic linker maps what it loads. That is the kernel's choice, which is the same on
// all nodes as long as they have done the same; once the program runs, they have not. So the kernel
// is left no choice: as long as a window is open, all gaps that it would choose before are filled.
// Rejected: libraries linked at addresses of their own (they would collide, and libraries of others
// have none); copies of the files with other addresses (code and data would have to be relocated).
//
// What Weft's own threads map meanwhile lies aside (base/threads/own_memory.hpp). Another thread
// that maps something at the same time may shift what is loaded; whoever opens a window has to
// check where it went.
#pragma once

#include <cstddef>
#include <vector>

#include "base/threads/own_memory.hpp"
#include "runtime/addresses/address_space.hpp"

namespace weft {

class LoadingWindow {
 public:
  static constexpr std::size_t kBytes = std::size_t{1} << 34;
  static constexpr unsigned kWindows = 512;

  // The number is taken modulo kWindows. If address space is limited (ulimit -v), it has no effect.
  explicit LoadingWindow(unsigned number);
  ~LoadingWindow();
  LoadingWindow(const LoadingWindow&) = delete;
  LoadingWindow& operator=(const LoadingWindow&) = delete;

 private:
  OwnMemoryAside aside_;  // before the gaps are filled
  std::vector<Filler> fillers_;
};

}  // namespace weft
