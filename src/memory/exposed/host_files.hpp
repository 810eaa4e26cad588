// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files in memory that processes of one host open of each other, by the number of the process
// (/proc/PID/fd).
#pragma once

#include <cstdint>
#include <string>

namespace weft {

// The same for processes of one kernel.
[[nodiscard]] std::string boot_number();
// This node's own, whatever the program is told.
[[nodiscard]] std::int64_t number_of_this_process();
// The inode; 0: the descriptor is none.
[[nodiscard]] std::uint64_t file_number(int descriptor);

// The caller's descriptor for a file that the process has open, or -1. The process may be another
// with that number, where nodes have namespaces of their own: the file's number is to be
// `expected`.
[[nodiscard]] int open_of_process(std::int64_t process, std::int32_t descriptor,
                                  std::uint64_t expected, int access);

}  // namespace weft
