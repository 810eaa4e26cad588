// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diffs: exactly the bytes of a page that differ from its twin. Unchanged bytes between two changed
// ones are never included, because another node may be writing just those.
//
// Encoding, after one byte that names the form (whichever is about the shorter):
//   runs    varint gap, varint length, bytes; repeated. The gap counts from the last run's end.
//   masks   u64 with a bit for each 64-byte block that differs; for each of those a u64 with a bit
//   for
//           each byte; then all the bytes. For changes strewn over the page, such as the low bytes
//           of an array of doubles.
#pragma once

#include "base/bytes.hpp"

namespace weft {

// Both of kPageBytes. What differs is added to `out`; false if they are equal.
bool append_diff(const std::byte* twin, const std::byte* contents, Bytes& out);
// All of a page: as if every byte differed.
void append_whole(const std::byte* contents, Bytes& out);
// By itself; empty if they are equal.
[[nodiscard]] Bytes encode_diff(const std::byte* twin, const std::byte* contents);

// Writes the bytes of a diff into a page, and nothing else there or anywhere. False, with nothing
// written, if it is not a diff.
[[nodiscard]] bool apply_diff(ByteView diff, std::byte* page);

// How many bytes of the page a diff changes; 0 if it is not a diff.
[[nodiscard]] std::size_t changed_bytes(ByteView diff);

}  // namespace weft
