// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/loading/loading_window.hpp"

#include <sys/mman.h>

#include <cstdint>

namespace weft {
namespace {

// The kernel goes downwards from below the stack, or, where stacks are unlimited, from a sixth of
// the address space (0x1555'5555'5000), or, with older kernels and such stacks, upwards from a
// third. The windows are beyond what it fills by itself.
constexpr std::uintptr_t kFirstDownwards = 0x0800'0000'0000;
constexpr std::uintptr_t kFirstUpwards = 0x6000'0000'0000;

}  // namespace

LoadingWindow::LoadingWindow(unsigned number) {
  const std::uintptr_t distance = number % kWindows * kBytes;
  fillers_.reserve(4096);  // not meanwhile
  if (kernel_maps_downwards()) {
    fill_gaps_down_to(kFirstDownwards + distance + kBytes, fillers_);
  } else {
    fill_gaps_up_to(kFirstUpwards + distance, fillers_);
  }
}

LoadingWindow::~LoadingWindow() {
  for (const Filler& filler : fillers_) munmap(filler.begin, filler.bytes);
}

}  // namespace weft
