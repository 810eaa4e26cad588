// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The number of the job's process, on a host where it is another process's, or nobody's. Calls that
// would reach that one by a path or as the owner of a descriptor are refused (src/process knows how
// to; it stands above).
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstring>
#include <string_view>

namespace weft::libc {

struct ProcessElsewhere {
  pid_t number = 0;
  // Returns for callers that are not the program.
  void (*refuse)(const char* call) = nullptr;
};

// Null on node 0's host, and as long as no program runs.
inline constinit std::atomic<const ProcessElsewhere*> process_elsewhere = nullptr;

// A path that is handed to the kernel.
inline void refuse_path_of_process(const char* path) {
  constexpr std::string_view kFolder = "/proc/";
  const ProcessElsewhere* const elsewhere = process_elsewhere.load(std::memory_order_acquire);
  if (elsewhere == nullptr || path == nullptr) [[likely]]
    return;
  if (std::strncmp(path, kFolder.data(), kFolder.size()) != 0) return;
  const std::string_view rest(path + kFolder.size());
  pid_t number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  const bool is_whole = *end == '\0' || *end == '/';
  if (error == std::errc() && is_whole && number == elsewhere->number) {
    elsewhere->refuse("a function on a path in /proc that names its own process");
  }
}

// A process, or a group by its number below zero, that is to get a descriptor's signals.
inline void refuse_owner(long owner) {
  const ProcessElsewhere* const elsewhere = process_elsewhere.load(std::memory_order_acquire);
  if (elsewhere == nullptr || owner == 0) [[likely]]
    return;
  if (owner < 0 || owner == elsewhere->number) {
    elsewhere->refuse("fcntl or ioctl, to have a descriptor's signals sent to its own process");
  }
}

}  // namespace weft::libc
