// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host on which this process runs, for nodes and their launchers.
#pragma once

#include <cstdint>
#include <string>

namespace weft {

// The name by which this host is told to users.
[[nodiscard]] std::string host_name();

// Processors that this process may use; at least 1.
[[nodiscard]] unsigned usable_processors();

// Bytes of memory that this process may use: the host's, or what its control group allows
// (Linux, cgroup v2: memory.max).
[[nodiscard]] std::uint64_t usable_memory();

// Whether the system dumps this process's memory if it crashes: into a file (RLIMIT_CORE), or to a
// program (core_pattern).
[[nodiscard]] bool may_dump_core();

}  // namespace weft
