// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the owner knows of a run of pages that it has handed out: cut into blocks of one size, or
// one large block. Private to the owner's process; the blocks themselves hold nothing of the
// heap's.
//
// Everything but `large` spans is guarded by the lock of the arena that the span belongs to.
// Whoever has a block may ask without it whether that one is used or cached.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "heap/blocks/size_classes.hpp"
#include "heap/pages/free_pages.hpp"

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
  [[nodiscard]] std::optional<std::size_t> block_at(std::size_t byte) const {
    if (is_large()) return byte == 0 ? std::optional<std::size_t>(0) : std::nullopt;
    const std::size_t index = byte * reciprocal_ >> 32;
    if (index * block_bytes_ != byte || index >= block_count_) return std::nullopt;
    return index;
  }

  [[nodiscard]] bool full() const { return used_ == block_count_; }
  [[nodiscard]] bool empty() const { return used_ == 0; }
  [[nodiscard]] bool is_used(std::size_t index) const { return !has(free_, index); }
  // Whether a thread has it at hand (thread_cache.hpp), though it is in use for the arena. Written
  // by that thread alone.
  [[nodiscard]] bool is_cached(std::size_t index) const { return has(cached_, index); }
  void set_cached(std::size_t index, bool cached) { set(cached_, index, cached); }
  // The free block with the lowest address; the span is not full.
  Block take();
  void give(std::size_t index);

  // Where the arena's list of spans with free blocks has this one.
  static constexpr std::size_t kUnlisted = SIZE_MAX;
  std::size_t list_position = kUnlisted;

 private:
  // A bit for each block. One thread at a time writes, but others may look at bits of their own.
  using Bits = std::array<std::atomic<std::uint64_t>, kMostBlocksInSpan / 64>;
  [[nodiscard]] static bool has(const Bits& bits, std::size_t index) {
    return (bits[index / 64].load(std::memory_order_relaxed) >> (index % 64) & 1) != 0;
  }
  static void set(Bits& bits, std::size_t index, bool value) {
    std::atomic<std::uint64_t>& word = bits[index / 64];
    const std::uint64_t bit = std::uint64_t{1} << (index % 64);
    const std::uint64_t before = word.load(std::memory_order_relaxed);
    word.store(value ? before | bit : before & ~bit, std::memory_order_relaxed);
  }

  FreePages::Run run_;
  SizeClass size_class_ = 0;
  unsigned arena_ = 0;
  std::size_t block_bytes_ = 0;
  std::uint64_t reciprocal_ = 0;  // of block_bytes_, times 2^32, rounded up
  std::size_t block_count_ = 0;
  std::size_t used_ = 0;
  std::size_t ever_used_ = 0;        // blocks below this index were handed out at some time
  std::size_t first_free_word_ = 0;  // no word of free_ before this one has a bit set
  Bits free_{}, cached_{};
};

}  // namespace weft::heap
