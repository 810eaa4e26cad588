// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/span.hpp"

#include <algorithm>
#include <bit>

#include "base/assert.hpp"
#include "base/ids.hpp"

namespace weft::heap {

Span::Span(FreePages::Run run) : run_(run) {}

Span::Span(FreePages::Run run, SizeClass size_class, unsigned arena)
    : run_(run),
      size_class_(size_class),
      arena_(arena),
      block_bytes_(class_bytes(size_class)),
      block_count_(run.count * kPageBytes / block_bytes_) {
  WEFT_ASSERT(block_count_ <= kMostBlocksInSpan);
  for (std::size_t index = 0; index < block_count_; ++index) {
    free_[index / 64] |= std::uint64_t{1} << (index % 64);
  }
}

std::optional<std::size_t> Span::block_at(std::size_t byte) const {
  if (is_large()) return byte == 0 ? std::optional<std::size_t>(0) : std::nullopt;
  const std::size_t index = byte / block_bytes_;
  if (index * block_bytes_ != byte || index >= block_count_) return std::nullopt;
  return index;
}

Block Span::take() {
  while (free_[first_free_word_] == 0) ++first_free_word_;
  std::uint64_t& word = free_[first_free_word_];
  const std::size_t index =
      first_free_word_ * 64 + static_cast<std::size_t>(std::countr_zero(word));
  word &= word - 1;
  ++used_;
  const std::size_t zero_from_byte = (run_.zero_from - run_.first) * kPageBytes;
  const bool zero = index >= ever_used_ && index * block_bytes_ >= zero_from_byte;
  ever_used_ = std::max(ever_used_, index + 1);
  return Block{index, zero};
}

void Span::give(std::size_t index) {
  free_[index / 64] |= std::uint64_t{1} << (index % 64);
  first_free_word_ = std::min(first_free_word_, index / 64);
  --used_;
}

}  // namespace weft::heap
