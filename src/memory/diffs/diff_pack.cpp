// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/diffs/diff_pack.hpp"

#include <algorithm>
#include <cstdint>

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

// Eight bytes at a time, by a table of what each eight bits of a mask do with them: a byte's place
// in the other order, or kNone.
constexpr std::size_t kOctet = 8;
constexpr std::uint8_t kNone = 0x80;
using Shuffle = std::array<std::uint8_t, kOctet>;
using Shuffles = std::array<Shuffle, 256>;

consteval Shuffles shuffles(bool gather) {
  Shuffles all{};
  for (unsigned bits = 0; bits < all.size(); ++bits) {
    all[bits].fill(kNone);
    std::uint8_t rank = 0;
    for (std::uint8_t place = 0; place < kOctet; ++place) {
      if ((bits >> place & 1U) == 0) continue;
      all[bits][gather ? rank : place] = gather ? place : rank;
      ++rank;
    }
  }
  return all;
}
constexpr Shuffles kGather = shuffles(true);
constexpr Shuffles kScatter = shuffles(false);

__attribute__((target("ssse3"))) inline std::uint64_t shuffled(std::uint64_t bytes,
                                                               const Shuffle& order) {
  const __m128i places = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(order.data()));
  const __m128i value = _mm_cvtsi64_si128(static_cast<long long>(bytes));
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_shuffle_epi8(value, places)));
}

__attribute__((target("ssse3,popcnt"))) std::byte* pack_ssse3(const std::byte* page,
                                                              const DifferenceMasks& masks,
                                                              std::byte* out) {
  for (std::size_t m = 0; m < kMasksPerPage; ++m) {
    if (masks[m] == 0) continue;
    for (std::size_t octet = 0; octet < kMaskBytes / kOctet; ++octet) {
      const auto bits = static_cast<std::uint8_t>(masks[m] >> (octet * kOctet));
      std::uint64_t bytes;
      std::memcpy(&bytes, page + m * kMaskBytes + octet * kOctet, kOctet);
      bytes = shuffled(bytes, kGather[bits]);
      std::memcpy(out, &bytes, kOctet);
      out += std::popcount(bits);
    }
  }
  return out;
}

// The bits of an octet that are set, where they follow each other; else a run of none.
struct Run {
  std::uint8_t first = 0, length = 0;
};
constexpr std::array<Run, 256> kRuns = [] {
  std::array<Run, 256> all{};
  for (unsigned first = 0; first < kOctet; ++first) {
    for (unsigned length = 1; first + length <= kOctet; ++length) {
      all[((1U << length) - 1) << first] = {static_cast<std::uint8_t>(first),
                                            static_cast<std::uint8_t>(length)};
    }
  }
  return all;
}();

// The bytes of an octet that the bits name, and no others: other threads may be storing there.
inline void store_octet(std::byte* to, std::uint64_t bytes, unsigned bits) {
  // In pairs: programs that differ in parts of numbers do so in the same ones each time.
  for (unsigned pair = 0; pair < kOctet / 2; ++pair) {
    const unsigned both = bits >> (2 * pair) & 3U;
    const auto value = static_cast<std::uint16_t>(bytes >> (16 * pair));
    if (both == 3) {
      std::memcpy(to + 2 * pair, &value, 2);
    } else if (both == 1) {
      to[2 * pair] = static_cast<std::byte>(value & 0xff);
    } else if (both == 2) {
      to[2 * pair + 1] = static_cast<std::byte>(value >> 8);
    }
  }
}

__attribute__((target("ssse3,popcnt"))) void unpack_ssse3(const std::byte* from,
                                                          const DifferenceMasks& masks,
                                                          std::byte* page) {
  std::size_t left = 0;
  for (const std::uint64_t mask : masks) left += static_cast<std::size_t>(std::popcount(mask));
  for (std::size_t m = 0; m < kMasksPerPage; ++m) {
    if (masks[m] == 0) continue;
    for (std::size_t octet = 0; octet < kMaskBytes / kOctet; ++octet) {
      const auto bits = static_cast<std::uint8_t>(masks[m] >> (octet * kOctet));
      if (bits == 0) continue;
      std::byte* const to = page + m * kMaskBytes + octet * kOctet;
      // Of numbers that are near what they were, the highest bytes are the same.
      if (const Run run = kRuns[bits]; run.length != 0) {
        copy_run(to + run.first, from, run.length);
      } else {
        std::uint64_t bytes = 0;
        if (left >= kOctet) {
          std::memcpy(&bytes, from, kOctet);
        } else {
          std::memcpy(&bytes, from, left);  // nothing behind the last byte
        }
        store_octet(to, shuffled(bytes, kScatter[bits]), bits);
      }
      const auto count = static_cast<std::size_t>(std::popcount(bits));
      from += count;
      left -= count;
    }
  }
}

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

std::array<MaskedCopies, 3> available_masked_copies() {
  std::array<MaskedCopies, 3> available = {{{"plain", &pack_plain, &unpack_plain}}};
#if defined(__x86_64__)
  std::size_t count = 1;
  if (__builtin_cpu_supports("ssse3") && __builtin_cpu_supports("popcnt")) {
    available[count++] = {"ssse3", &pack_ssse3, &unpack_ssse3};
  }
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2")) {
    available[count] = {"avx512", &pack_avx512, &unpack_avx512};
  }
#endif
  return available;
}

const MaskedCopies& masked_copies() {
  static const MaskedCopies fastest = [] {
    const auto available = available_masked_copies();
    const auto end = std::ranges::find(available, nullptr, &MaskedCopies::name);
    return *(end - 1);
  }();
  return fastest;
}

}  // namespace weft
