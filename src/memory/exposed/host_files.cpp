// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/exposed/host_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>

namespace weft {

std::string boot_number() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string number;
  std::getline(file, number);
  return number;
}

std::int64_t number_of_this_process() { return syscall(SYS_getpid); }

std::uint64_t file_number(int descriptor) {
  struct stat found{};
  return fstat(descriptor, &found) == 0 ? found.st_ino : 0;
}

int open_of_process(std::int64_t process, std::int32_t descriptor, std::uint64_t expected,
                    int access) {
  const std::string path = fmt::format("/proc/{}/fd/{}", process, descriptor);
  // Not the program's open: its descriptors are another matter.
  const int opened = static_cast<int>(syscall(SYS_open, path.c_str(), access | O_CLOEXEC));
  if (opened >= 0 && file_number(opened) == expected) return opened;
  if (opened >= 0) close(opened);
  return -1;
}

}  // namespace weft
