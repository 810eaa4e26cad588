// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests that have to know that a thread waits, where a pause would only make it likely.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>
#include <string_view>

namespace weft {

// Whether the thread waits for something in the kernel: a lock, a fault's end, bytes in a pipe. By
// system calls alone, as the C library's calls may be what is tested.
[[nodiscard]] inline bool is_asleep(pid_t process, pid_t thread) {
  const std::string name =
      "/proc/" + std::to_string(process) + "/task/" + std::to_string(thread) + "/stat";
  const long file = syscall(SYS_openat, AT_FDCWD, name.c_str(), O_RDONLY | O_CLOEXEC);
  char text[256];
  const long count = syscall(SYS_read, file, text, sizeof text);
  syscall(SYS_close, file);
  const std::string_view stat(text, count > 0 ? static_cast<std::size_t>(count) : 0);
  const std::size_t name_ends = stat.rfind(") ");
  if (name_ends == std::string_view::npos || name_ends + 2 >= stat.size()) return false;
  const char state = stat[name_ends + 2];
  return state == 'S' || state == 'D';
}

}  // namespace weft
