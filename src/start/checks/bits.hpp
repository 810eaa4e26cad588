// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bit for each byte of some memory. The bits lie in mapped memory of their own: malloc may be the
// program's, and so the whole job's.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace weft::checks {

class Bits {
 public:
  // All of them 0. False if there is no memory for so many.
  bool begin(std::uint64_t count) {
    const std::uint64_t words = (count + kBits - 1) / kBits;
    if (words <= capacity_) {
      std::memset(words_, 0, words * sizeof(Word));
      return true;
    }
    release();
    const std::uint64_t bytes = std::max(words * sizeof(Word), kFewestBytes);
    void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return false;
    words_ = static_cast<Word*>(mapped);
    capacity_ = bytes / sizeof(Word);
    return true;
  }
  // Few are kept for the next time, as the system takes long to clear them.
  void end() {
    if (capacity_ * sizeof(Word) > kMostKept) release();
  }

  void set(std::uint64_t from, std::uint64_t to) {
    for (; from < to; from += kBits - from % kBits) words_[from / kBits] |= mask(from, to);
  }
  // The first in [from, to) that is 0; `to` if none is.
  [[nodiscard]] std::uint64_t first_clear(std::uint64_t from, std::uint64_t to) const {
    for (; from < to; from += kBits - from % kBits) {
      const Word clear = ~words_[from / kBits] & mask(from, to);
      if (clear != 0) return from - from % kBits + static_cast<unsigned>(std::countr_zero(clear));
    }
    return to;
  }
  // And the first behind it that is 1.
  [[nodiscard]] std::uint64_t first_set(std::uint64_t from, std::uint64_t to) const {
    for (; from < to; from += kBits - from % kBits) {
      const Word set = words_[from / kBits] & mask(from, to);
      if (set != 0) return from - from % kBits + static_cast<unsigned>(std::countr_zero(set));
    }
    return to;
  }

 private:
  using Word = std::uint64_t;
  static constexpr std::uint64_t kBits = 64;
  static constexpr std::uint64_t kFewestBytes = 4096;
  static constexpr std::uint64_t kMostKept = std::uint64_t{1} << 20;

  // Of the word of `from`, the bits from there on, and before `to`.
  static Word mask(std::uint64_t from, std::uint64_t to) {
    const std::uint64_t first = from % kBits;
    const std::uint64_t count = std::min(kBits - first, to - from);
    return (count == kBits ? ~Word{0} : (Word{1} << count) - 1) << first;
  }
  void release() {
    if (words_ != nullptr) munmap(words_, capacity_ * sizeof(Word));
    words_ = nullptr;
    capacity_ = 0;
  }

  Word* words_ = nullptr;
  std::uint64_t capacity_ = 0;
};

}  // namespace weft::checks
