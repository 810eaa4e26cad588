// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/threads/own_memory.hpp"

#include <sys/mman.h>

#include <mutex>

#include "base/ids.hpp"
#include "base/signal_safe_mutex.hpp"

namespace weft {
namespace {

// Address space alone: so much is mapped by a thousand threads that are born meanwhile.
constexpr std::size_t kAsideBytes = std::size_t{1} << 30;
constexpr int kPrivate = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

SignalSafeMutex lock;  // also held while the kernel chooses: no window opens between
unsigned asides = 0;
std::byte* left = nullptr;  // of the range set aside; null if there is none
std::size_t left_bytes = 0;

void* mapped_or_null(void* mapped) { return mapped == MAP_FAILED ? nullptr : mapped; }

}  // namespace

void* map_own_memory(std::size_t bytes) {
  bytes = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  const std::lock_guard guard(lock);
  if (bytes > left_bytes) {
    return mapped_or_null(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kPrivate, -1, 0));
  }
  std::byte* const taken = left;
  left += bytes;
  left_bytes -= bytes;
  return mapped_or_null(mmap(taken, bytes, PROT_READ | PROT_WRITE, kPrivate | MAP_FIXED, -1, 0));
}

OwnMemoryAside::OwnMemoryAside() {
  const std::lock_guard guard(lock);
  if (asides++ > 0) return;
  left = static_cast<std::byte*>(
      mapped_or_null(mmap(nullptr, kAsideBytes, PROT_NONE, kPrivate, -1, 0)));
  left_bytes = left == nullptr ? 0 : kAsideBytes;
}

OwnMemoryAside::~OwnMemoryAside() {
  const std::lock_guard guard(lock);
  if (--asides > 0) return;
  if (left_bytes > 0) munmap(left, left_bytes);
  left = nullptr;
  left_bytes = 0;
}

}  // namespace weft
