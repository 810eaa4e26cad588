// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/loading_window.hpp"

#include <sys/mman.h>

#include <cstdint>

#include "base/ids.hpp"

namespace weft {
namespace {

// The kernel goes downwards from below the stack, or, where stacks are unlimited, from a sixth of
// the address space (0x1555'5555'5000), or, with older kernels and such stacks, upwards from a
// third. The windows are beyond what it fills by itself.
constexpr std::uintptr_t kFirstDownwards = 0x0800'0000'0000;
constexpr std::uintptr_t kFirstUpwards = 0x6000'0000'0000;
constexpr std::size_t kLargest = std::size_t{1} << 46;

std::byte* reserve(std::size_t bytes) {
  void* got = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return got == MAP_FAILED ? nullptr : static_cast<std::byte*>(got);
}

// Whether the kernel goes downwards. Such large pieces fit into no hole between mappings.
bool goes_downwards() {
  constexpr std::size_t kProbeBytes = std::size_t{1} << 32;
  std::byte* const first = reserve(kProbeBytes);
  std::byte* const second = reserve(kProbeBytes);
  if (first != nullptr) munmap(first, kProbeBytes);
  if (second != nullptr) munmap(second, kProbeBytes);
  return second < first;
}

}  // namespace

LoadingWindow::LoadingWindow(unsigned number) {
  const bool downwards = goes_downwards();
  begin_ = reinterpret_cast<std::byte*>(downwards ? kFirstDownwards : kFirstUpwards) +
           number % kWindows * kBytes;
  fillers_.reserve(4096);  // not meanwhile
  for (std::size_t bytes = kLargest; bytes >= kPageBytes; bytes /= 2) fill(downwards, bytes);
}

void LoadingWindow::fill(bool downwards, std::size_t bytes) {
  while (std::byte* const got = reserve(bytes)) {
    const bool comes_before = downwards ? got >= begin_ + kBytes : got + bytes <= begin_;
    if (!comes_before) {
      munmap(got, bytes);
      return;
    }
    fillers_.push_back({got, bytes});
  }
}

LoadingWindow::~LoadingWindow() {
  for (const Filler& filler : fillers_) munmap(filler.begin, filler.bytes);
}

}  // namespace weft
