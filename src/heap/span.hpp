// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the owner knows of a run of pages that it has handed out: cut into blocks of one size, or
// one large block. Private to the owner's process; the blocks themselves hold nothing of the
// heap's.
//
// Everything but `large` spans is guarded by the lock of the arena that the span belongs to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "heap/free_pages.hpp"
#include "heap/size_classes.hpp"

namespace weft::heap {

inline constexpr std::size_t kMostBlocksInSpan = 2048;

struct Block {
  std::size_t index = 0;
  bool zero = false;  // known to hold zeros
};

class Span {
 public:
  // A large block.
  explicit Span(FreePages::Run run);
  // Blocks of a class, for threads of arena `arena`.
  Span(FreePages::Run run, SizeClass size_class, unsigned arena);

  [[nodiscard]] bool is_large() const { return block_bytes_ == 0; }
  [[nodiscard]] const FreePages::Run& run() const { return run_; }
  void grow(std::uint64_t page_count) { run_.count = page_count; }

  [[nodiscard]] SizeClass size_class() const { return size_class_; }
  [[nodiscard]] unsigned arena() const { return arena_; }
  [[nodiscard]] std::size_t block_bytes() const { return block_bytes_; }
  // The block at this distance from the span's beginning; nothing if none begins there.
  [[nodiscard]] std::optional<std::size_t> block_at(std::size_t byte) const;

  [[nodiscard]] bool full() const { return used_ == block_count_; }
  [[nodiscard]] bool empty() const { return used_ == 0; }
  [[nodiscard]] bool is_used(std::size_t index) const {
    return (free_[index / 64] >> (index % 64) & 1) == 0;
  }
  // The free block with the lowest address; the span is not full.
  Block take();
  void give(std::size_t index);

  // Where the arena's list of spans with free blocks has this one.
  static constexpr std::size_t kUnlisted = SIZE_MAX;
  std::size_t list_position = kUnlisted;

 private:
  FreePages::Run run_;
  SizeClass size_class_ = 0;
  unsigned arena_ = 0;
  std::size_t block_bytes_ = 0;
  std::size_t block_count_ = 0;
  std::size_t used_ = 0;
  std::size_t ever_used_ = 0;        // blocks below this index were handed out at some time
  std::size_t first_free_word_ = 0;  // no word of free_ before this one has a bit set
  std::array<std::uint64_t, kMostBlocksInSpan / 64> free_{};
};

}  // namespace weft::heap
