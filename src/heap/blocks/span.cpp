// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/blocks/span.hpp"

#include <algorithm>
#include <bit>

#include "base/assert.hpp"
#include "base/ids.hpp"

namespace weft::heap {
namespace {

constexpr std::uint64_t kTwoTo32 = std::uint64_t{1} << 32;

}  // namespace

Span::Span(FreePages::Run run) : run_(run) {}

Span::Span(FreePages::Run run, SizeClass size_class, unsigned arena)
    : run_(run),
      size_class_(size_class),
      arena_(arena),
      block_bytes_(class_bytes(size_class)),
      reciprocal_((kTwoTo32 + block_bytes_ - 1) / block_bytes_),
      block_count_(run.count * kPageBytes / block_bytes_) {
  WEFT_ASSERT(block_count_ <= kMostBlocksInSpan);
  // So that multiplying by the reciprocal divides exactly, whatever byte of the span it is.
  WEFT_ASSERT(run.count * kPageBytes * block_bytes_ <= kTwoTo32);
  for (std::size_t index = 0; index < block_count_; ++index) {
    set(free_, index, true);
  }
}

Block Span::take() {
  const auto word = [this] { return free_[first_free_word_].load(std::memory_order_relaxed); };
  while (word() == 0) ++first_free_word_;
  const std::size_t index =
      first_free_word_ * 64 + static_cast<std::size_t>(std::countr_zero(word()));
  set(free_, index, false);
  ++used_;
  const std::size_t zero_from_byte = (run_.zero_from - run_.first) * kPageBytes;
  const bool zero = index >= ever_used_ && index * block_bytes_ >= zero_from_byte;
  ever_used_ = std::max(ever_used_, index + 1);
  return Block{index, zero};
}

void Span::give(std::size_t index) {
  set(free_, index, true);
  first_free_word_ = std::min(first_free_word_, index / 64);
  --used_;
}

}  // namespace weft::heap
