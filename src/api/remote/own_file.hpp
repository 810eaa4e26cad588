// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file in memory that has a node's table of registered memory, and then that memory. Other
// nodes of the host map it. It is made when the program first registers something.
//
//   Table │ piece │ piece │ nothing yet │ piece ...      whole pages each
#pragma once

#include <cstdint>
#include <optional>

#include "base/codec.hpp"
#include "base/remote/table.hpp"

namespace weft::remote {

// Where other processes of the host find it.
struct FilePlace {
  std::int64_t process = 0;
  std::int32_t descriptor = -1;
  std::uint64_t number = 0;  // the inode
  WEFT_FIELDS(self.process, self.descriptor, self.number)
};

// Null before the program has registered anything, or if it cannot be made.
[[nodiscard]] Table* own_table();
[[nodiscard]] Table* make_own_table();
[[nodiscard]] std::optional<FilePlace> own_place();

// Moves the descriptor out of the program's way. -1: there is no room.
[[nodiscard]] int keep_file(int descriptor);
// Maps a part of such a file, of whole pages; null: it cannot be.
[[nodiscard]] std::byte* map_file(int descriptor, std::uint64_t offset, std::uint64_t bytes);
void unmap_file(std::byte* memory, std::uint64_t bytes);

}  // namespace weft::remote
