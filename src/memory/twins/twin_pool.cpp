// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/twins/twin_pool.hpp"

#include <sys/mman.h>

namespace weft {

Result<TwinPool::Slot> TwinPool::take() {
  if (free_.empty()) {
    auto chunk = ReservedMemory::create(kChunkPages * kPageBytes);
    if (!chunk.ok()) return Failure{chunk.error()};
    // A twin costs a copy; without huge pages it would cost a page fault as well.
    madvise(chunk.value().begin(), chunk.value().bytes(), MADV_HUGEPAGE);
    const auto first = static_cast<Slot>(chunks_.size() * kChunkPages);
    chunks_.push_back(std::move(chunk.value()));
    for (Slot slot = first + kChunkPages; slot > first; --slot) free_.push_back(slot - 1);
  }
  const Slot slot = free_.back();
  free_.pop_back();
  return slot;
}

void TwinPool::give_back(Slot slot) { free_.push_back(slot); }

void TwinPool::trim() {
  for (const Slot slot : free_) madvise(contents(slot), kPageBytes, MADV_DONTNEED);
}

}  // namespace weft
