// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a node must know about the program that it runs: where its writable data is, and whether it
// is the same program, at the same addresses, as on the other nodes.
#pragma once

#include <link.h>

#include <cstddef>
#include <string>
#include <vector>

namespace weft {

// The pages of an object's .data and .bss: its writable segments, without what is read-only after
// relocation (RELRO). Page-aligned; at most one range, as the linker lays it out.
struct DataSegment {
  std::byte* begin = nullptr;
  std::byte* end = nullptr;

  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(end - begin); }
};
[[nodiscard]] DataSegment data_segment_of(const dl_phdr_info& object);

// One line for the executable and for each library: its path, its address, and its build id (or
// its size and modification time where it has none). Nodes of a job must have equal lines.
[[nodiscard]] std::vector<std::string> program_fingerprint();

// The object's line.
[[nodiscard]] std::string fingerprint_of(const dl_phdr_info& object);

// The first difference between this node's lines and another's, as a sentence; empty if equal.
[[nodiscard]] std::string fingerprint_difference(const std::vector<std::string>& mine,
                                                 const std::vector<std::string>& other);

}  // namespace weft
