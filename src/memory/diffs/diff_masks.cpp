// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/diffs/diff_masks.hpp"

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace weft {
namespace {

std::uint64_t load_word(const std::byte* from) {
  std::uint64_t word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// Bit b: byte b of the word is not zero. Each byte's bits are gathered in its top bit, and the
// multiplication moves the eight top bits side by side (no two meet, so nothing carries).
std::uint64_t nonzero_bytes(std::uint64_t word) {
  constexpr std::uint64_t kLowBits = 0x7f7f7f7f7f7f7f7fU;
  const std::uint64_t top = (((word & kLowBits) + kLowBits) | word) & ~kLowBits;
  return ((top >> 7) * 0x0102040810204080U) >> 56;
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) void find_differences_avx2(const std::byte* left,
                                                           const std::byte* right,
                                                           DifferenceMasks& masks) {
  for (std::size_t m = 0; m < kMasksPerPage; ++m) {
    const auto* a = reinterpret_cast<const __m256i*>(left + m * kMaskBytes);
    const auto* b = reinterpret_cast<const __m256i*>(right + m * kMaskBytes);
    const __m256i low = _mm256_cmpeq_epi8(_mm256_loadu_si256(a), _mm256_loadu_si256(b));
    const __m256i high = _mm256_cmpeq_epi8(_mm256_loadu_si256(a + 1), _mm256_loadu_si256(b + 1));
    const auto equal_low = static_cast<std::uint32_t>(_mm256_movemask_epi8(low));
    const auto equal_high = static_cast<std::uint32_t>(_mm256_movemask_epi8(high));
    masks[m] = ~(equal_low | static_cast<std::uint64_t>(equal_high) << 32);
  }
}

__attribute__((target("avx512bw"))) void find_differences_avx512(const std::byte* left,
                                                                 const std::byte* right,
                                                                 DifferenceMasks& masks) {
  for (std::size_t m = 0; m < kMasksPerPage; ++m) {
    masks[m] = _mm512_cmpneq_epi8_mask(_mm512_loadu_si512(left + m * kMaskBytes),
                                       _mm512_loadu_si512(right + m * kMaskBytes));
  }
}

#endif

}  // namespace

void find_differences_plain(const std::byte* left, const std::byte* right, DifferenceMasks& masks) {
  for (std::size_t m = 0; m < kMasksPerPage; ++m) {
    std::uint64_t mask = 0;
    for (std::size_t word = 0; word < kMaskBytes / 8; ++word) {
      const std::size_t at = m * kMaskBytes + word * 8;
      const std::uint64_t different = load_word(left + at) ^ load_word(right + at);
      if (different != 0) mask |= nonzero_bytes(different) << (word * 8);
    }
    masks[m] = mask;
  }
}

std::array<NamedFindDifferences, 3> available_find_differences() {
  std::array<NamedFindDifferences, 3> available = {{{"plain", &find_differences_plain}}};
#if defined(__x86_64__)
  std::size_t count = 1;
  if (__builtin_cpu_supports("avx2")) available[count++] = {"avx2", &find_differences_avx2};
  if (__builtin_cpu_supports("avx512bw")) available[count++] = {"avx512", &find_differences_avx512};
#endif
  return available;
}

FindDifferences find_differences() {
  static const FindDifferences fastest = [] {
    FindDifferences best = nullptr;
    for (const NamedFindDifferences& each : available_find_differences()) {
      if (each.function != nullptr) best = each.function;
    }
    return best;
  }();
  return fastest;
}

}  // namespace weft
