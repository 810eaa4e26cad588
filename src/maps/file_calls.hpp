// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// read, write and the like on files that the program has mapped MAP_SHARED: in one process map and
// file are the same pages. Here the memory counts:
//   before a read    it is written back, where it differs
//   after a write    those bytes, and no others, are read into it
//   after a resize   what lies behind the shorter length is zero
// Threads that do both without synchronisation race, as in one process.
#pragma once

namespace weft::maps {

// From now on the program's calls on files on this node agree with its maps
// (libc/ownership/mapped_files.hpp).
void watch_files();

}  // namespace weft::maps
