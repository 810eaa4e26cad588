// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers the bytes of a page that masks name, and scatters them into another, with the widest
// instructions that the processor has. The plain twins are for every other processor, and the
// others' test.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#include "memory/diffs/diff_masks.hpp"

namespace weft {

// pack() may write so many bytes more than it returns.
inline constexpr std::size_t kPackSlack = 64;

struct MaskedCopies {
  const char* name;
  // Writes the bytes one after the other; returns the end of them.
  std::byte* (*pack)(const std::byte* page, const DifferenceMasks& masks, std::byte* out);
  // Writes exactly the bytes of the page that the masks name, from as many at `from`.
  void (*unpack)(const std::byte* from, const DifferenceMasks& masks, std::byte* page);
};

// All that this processor can run, the plain one first; null names end the list.
[[nodiscard]] std::array<MaskedCopies, 3> available_masked_copies();
// The fastest of them.
[[nodiscard]] const MaskedCopies& masked_copies();

// Calls visit(begin, end) for each run of set bits, runs joined across masks.
template <typename Visit>
void for_each_run(const DifferenceMasks& masks, Visit visit) {
  std::size_t run_begin = 0;
  bool in_run = false;
  for (std::size_t m = 0; m < kMasksPerPage; ++m) {
    // Bits below `bit` are done. A run ends where the complement has its next bit, and vice versa.
    std::size_t bit = 0;
    while (bit < kMaskBytes) {
      const std::uint64_t wanted = (in_run ? ~masks[m] : masks[m]) >> bit;
      if (wanted == 0) break;
      bit += static_cast<std::size_t>(std::countr_zero(wanted));
      const std::size_t at = m * kMaskBytes + bit;
      if (in_run) {
        visit(run_begin, at);
      } else {
        run_begin = at;
      }
      in_run = !in_run;
    }
  }
  if (in_run) visit(run_begin, kPageBytes);
}

// Copies a run. Most are shorter than a word, where a call of memcpy would cost more than it
// copies. Writes nothing behind the run: other threads may be writing there.
inline void copy_run(std::byte* to, const std::byte* from, std::size_t length) {
  if (length > 16) {
    std::memcpy(to, from, length);
  } else if (length >= 8) {  // twice half of it, which may overlap
    std::memcpy(to, from, 8);
    std::memcpy(to + length - 8, from + length - 8, 8);
  } else if (length >= 4) {
    std::memcpy(to, from, 4);
    std::memcpy(to + length - 4, from + length - 4, 4);
  } else if (length >= 2) {
    std::memcpy(to, from, 2);
    std::memcpy(to + length - 2, from + length - 2, 2);
  } else {
    *to = *from;
  }
}

}  // namespace weft
