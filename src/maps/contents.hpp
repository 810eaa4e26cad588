// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What mapped memory holds: zeros, a file's bytes, and the way back into the file. Called on the
// runtime stack, without any lock but OwnLock::kMaps: the pages may have to come from elsewhere.
//
// A file is read when it is mapped, all of it, by the node whose thread maps it; the pages then are
// like others. Rejected for now: reading on demand. It would save the reading of what nobody
// touches, but a page's first touch would be a question to a directory of files, on every node.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>

#include "heap/pages/heap_layout.hpp"
#include "maps/map_table.hpp"
#include "runtime/interface/node.hpp"

namespace weft::maps {

// Whatever was there. Pages that nobody has written are not touched: they stay without memory.
void make_zero(Node& node, AddressRange range);

// Copies to memory that is zero, with the same care; as much as the smaller has.
void copy_used(Node& node, AddressRange from, AddressRange to);

// Reads the file's bytes from `place` on into memory that is zero. `file` may be another node's.
// False, with errno: it cannot be read.
[[nodiscard]] bool fill_from_file(AddressRange range, int file, std::uint64_t place);

// Writes what differs from the file, up to the file's end. False, with errno, if that failed.
[[nodiscard]] bool write_back(const MapRecord& part);

// Takes over what the file holds now. False, with errno: it cannot be read.
[[nodiscard]] bool read_again(const MapRecord& part);

// Of a System V segment: into memory that is zero, and back.
[[nodiscard]] bool fill_from_segment(AddressRange range, int id);

// Questions about a descriptor of any node.
[[nodiscard]] std::optional<struct stat> status_of(int file);
[[nodiscard]] int access_mode_of(int file);  // O_RDONLY, O_RDWR or O_WRONLY; -1 with errno
[[nodiscard]] int duplicate_of(int file);    // -1 with errno

}  // namespace weft::maps
