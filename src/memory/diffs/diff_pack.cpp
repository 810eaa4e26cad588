// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/diffs/diff_pack.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace weft {
namespace {

std::byte* pack_plain(const std::byte* page, const DifferenceMasks& masks, std::byte* out) {
  for_each_run(masks, [&](std::size_t begin, std::size_t end) {
    copy_run(out, page + begin, end - begin);
    out += end - begin;
  });
  return out;
}

void unpack_plain(const std::byte* from, const DifferenceMasks& masks, std::byte* page) {
  for_each_run(masks, [&](std::size_t begin, std::size_t end) {
    copy_run(page + begin, from, end - begin);
    from += end - begin;
  });
}

#if defined(__x86_64__)

__attribute__((target("avx512bw,avx512vbmi2"))) std::byte* pack_avx512(const std::byte* page,
                                                                       const DifferenceMasks& masks,
                                                                       std::byte* out) {
  for (std::size_t m = 0; m < kMasksPerPage; ++m) {
    if (masks[m] == 0) continue;
    const __m512i bytes = _mm512_loadu_si512(page + m * kMaskBytes);
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(masks[m], bytes));
    out += std::popcount(masks[m]);
  }
  return out;
}

// The masked store leaves the bytes between alone, as other threads' stores beside it require; the
// masked load reads nothing behind the last byte.
__attribute__((target("avx512bw,avx512vbmi2"))) void unpack_avx512(const std::byte* from,
                                                                   const DifferenceMasks& masks,
                                                                   std::byte* page) {
  for (std::size_t m = 0; m < kMasksPerPage; ++m) {
    if (masks[m] == 0) continue;
    const int count = std::popcount(masks[m]);
    const __m512i bytes = _mm512_maskz_loadu_epi8(~std::uint64_t{0} >> (64 - count), from);
    _mm512_mask_storeu_epi8(page + m * kMaskBytes, masks[m],
                            _mm512_maskz_expand_epi8(masks[m], bytes));
    from += count;
  }
}

#endif

}  // namespace

std::array<MaskedCopies, 2> available_masked_copies() {
  std::array<MaskedCopies, 2> available = {{{"plain", &pack_plain, &unpack_plain}}};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2")) {
    available[1] = {"avx512", &pack_avx512, &unpack_avx512};
  }
#endif
  return available;
}

const MaskedCopies& masked_copies() {
  static const MaskedCopies fastest = [] {
    const auto available = available_masked_copies();
    return available[1].name != nullptr ? available[1] : available[0];
  }();
  return fastest;
}

}  // namespace weft
