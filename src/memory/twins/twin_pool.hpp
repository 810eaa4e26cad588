// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the twins (twins) of pages are kept: page-sized slots in private memory outside the shared
// region. Memory comes in chunks, and freed slots are used again before new ones.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.hpp"
#include "memory/region/reserved_memory.hpp"

namespace weft {

class TwinPool {
 public:
  using Slot = std::uint32_t;

  // A slot with whatever was in it before. Fails when the process can have no more memory.
  [[nodiscard]] Result<Slot> take();
  void give_back(Slot slot);
  [[nodiscard]] std::byte* contents(Slot slot) const {
    return chunks_[slot / kChunkPages].begin() + slot % kChunkPages * kPageBytes;
  }
  // Gives the memory of free slots back to the system.
  void trim();

  [[nodiscard]] std::uint64_t used() const { return chunks_.size() * kChunkPages - free_.size(); }

 private:
  static constexpr std::uint64_t kChunkPages = 1024;

  std::vector<ReservedMemory> chunks_;
  std::vector<Slot> free_;  // the last one given back is the warmest, and taken next
};

}  // namespace weft
