// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/twins/copy_page.hpp"

#include <cstring>

#include "base/ids.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace weft {

#if defined(__x86_64__)

void copy_page(std::byte* to, const std::byte* from) {
  std::size_t count = kPageBytes;
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
}

void copy_page_aside(std::byte* to, const std::byte* from) {
  constexpr std::size_t kLine = 64;
  for (std::size_t at = 0; at < kPageBytes; at += kLine) {
    const auto* source = reinterpret_cast<const __m128i*>(from + at);
    auto* target = reinterpret_cast<__m128i*>(to + at);
    const __m128i parts[] = {_mm_loadu_si128(source), _mm_loadu_si128(source + 1),
                             _mm_loadu_si128(source + 2), _mm_loadu_si128(source + 3)};
    for (std::size_t part = 0; part < 4; ++part) _mm_stream_si128(target + part, parts[part]);
  }
  _mm_sfence();  // another thread of the node may compare the page next
}

#else

void copy_page(std::byte* to, const std::byte* from) { std::memcpy(to, from, kPageBytes); }

void copy_page_aside(std::byte* to, const std::byte* from) { std::memcpy(to, from, kPageBytes); }

#endif

}  // namespace weft
