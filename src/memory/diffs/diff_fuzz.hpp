// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The property that the fuzzer looks for exceptions to, shared with the test that replays its
// corpus.
#pragma once

#include <algorithm>
#include <vector>

#include "base/assert.hpp"
#include "base/ids.hpp"
#include "memory/diffs/diff.hpp"
#include "memory/diffs/diff_masks.hpp"
#include "memory/diffs/diff_pack.hpp"

namespace weft {

// Every way to gather and scatter the bytes in which the pages differ gives the same, to the byte
// behind the last and the bytes in between.
inline void check_masked_copies(const std::byte* twin, const std::byte* contents) {
  DifferenceMasks masks;
  find_differences_plain(twin, contents, masks);
  Bytes expected(kPageBytes + kPackSlack);
  const auto ways = available_masked_copies();
  const auto count =
      static_cast<std::size_t>(ways[0].pack(contents, masks, expected.data()) - expected.data());
  for (const MaskedCopies& way : ways) {
    if (way.name == nullptr) break;
    Bytes packed(kPageBytes + kPackSlack);
    std::byte* const end = way.pack(contents, masks, packed.data());
    WEFT_ASSERT(end == packed.data() + count, "{} packs another number of bytes", way.name);
    WEFT_ASSERT(std::equal(packed.data(), end, expected.data()), "{} packs other bytes", way.name);
    const Bytes exactly(packed.data(), end);  // what is read behind it, a sanitizer sees
    Bytes page(twin, twin + kPageBytes);
    way.unpack(exactly.data(), masks, page.data());
    WEFT_ASSERT(std::equal(page.begin(), page.end(), contents), "{} unpacks wrongly", way.name);
  }
}

// Takes any bytes for a diff. Asserts that nothing outside the page is written, nothing at all if
// they are no diff, and that what they say is what a diff of the result says. Returns whether they
// were a diff.
inline bool check_diff_input(ByteView input) {
  constexpr std::byte kGuard{0xa5};
  constexpr std::size_t kGuardBytes = 256;
  std::vector<std::byte> memory(kGuardBytes + kPageBytes + kGuardBytes, kGuard);
  std::byte* page = memory.data() + kGuardBytes;
  const bool good = apply_diff(input, page);
  const auto guarded = [&](auto from, auto to) {
    return std::all_of(from, to, [](std::byte byte) { return byte == kGuard; });
  };
  WEFT_ASSERT(guarded(memory.begin(), memory.begin() + kGuardBytes), "wrote before the page");
  WEFT_ASSERT(guarded(memory.end() - kGuardBytes, memory.end()), "wrote behind the page");
  if (!good) {
    WEFT_ASSERT(guarded(memory.begin(), memory.end()), "a malformed diff was applied in part");
    WEFT_ASSERT(changed_bytes(input) == 0, "a malformed diff was counted");
    return false;
  }
  const std::vector<std::byte> before(kPageBytes, kGuard);
  check_masked_copies(before.data(), page);
  const Bytes again = encode_diff(before.data(), page);
  WEFT_ASSERT(changed_bytes(again) <= changed_bytes(input), "more bytes changed than were told");
  std::vector<std::byte> copy = before;
  WEFT_ASSERT(apply_diff(again, copy.data()), "an encoded diff is not one");
  WEFT_ASSERT(std::equal(copy.begin(), copy.end(), page), "a diff does not give the page back");
  return true;
}

}  // namespace weft
