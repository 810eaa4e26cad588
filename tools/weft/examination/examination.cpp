// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/examination/examination.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <limits>
#include <sstream>

#include "memory/watching/back_end.hpp"
#include "weft/nodes/program.hpp"

namespace weft {
namespace {

constexpr const char* kLoader = "/lib64/ld-linux-x86-64.so.2";

std::uint64_t free_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  std::uint64_t kibibytes = 0;
  while (file >> name >> kibibytes) {
    if (name == "MemAvailable:") return kibibytes * 1024;
    std::getline(file, unit);
  }
  return 0;
}

// Where there is no /dev/shm at all, nothing uses it.
std::uint64_t free_shared_memory() {
  struct statvfs system = {};
  if (statvfs("/dev/shm", &system) != 0) return std::numeric_limits<std::uint64_t>::max();
  const bool has_limit = system.f_blocks != 0;
  return has_limit ? std::uint64_t{system.f_bavail} * system.f_frsize
                   : std::numeric_limits<std::uint64_t>::max();
}

// What the dynamic linker says of the library in a process without address randomisation.
std::string loader_listing(const std::string& library) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  const pid_t pid = fork();
  if (pid == 0) {
    personality(ADDR_NO_RANDOMIZE);
    dup2(ends[1], STDOUT_FILENO);
    execl(kLoader, kLoader, "--list", library.c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  ssize_t count = 0;
  while (pid > 0 && (count = read(ends[0], buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  close(ends[0]);
  if (pid > 0) waitpid(pid, nullptr, 0);
  return text;
}

// Lines "libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007ffff7dcd000)". The kernel's own
// object may lie anywhere.
std::vector<std::string> layout_of(const std::string& listing) {
  std::vector<std::string> layout;
  std::istringstream lines(listing);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, word, last;
    words >> name;
    while (words >> word) last = word;
    if (name.starts_with("linux-vdso") || !last.starts_with("(0x")) continue;
    layout.push_back(name.substr(name.rfind('/') + 1) + " " + last.substr(1, last.size() - 2));
  }
  return layout;
}

}  // namespace

bool may_fix_addresses() {
  // Tried in a child, because it changes the process.
  const pid_t pid = fork();
  if (pid == 0) _exit(personality(ADDR_NO_RANDOMIZE) < 0 ? 1 : 0);
  int status = 1;
  return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

bool has_memfd() {
  const int descriptor = memfd_create("weft-doctor", MFD_CLOEXEC);
  if (descriptor >= 0) close(descriptor);
  return descriptor >= 0;
}

Examination examine_this_host() {
  Examination found;
  utsname system = {};
  if (uname(&system) == 0) found.kernel = system.release;
  struct sysinfo memory = {};
  sysinfo(&memory);
  found.memory_bytes = std::uint64_t{memory.totalram} * memory.mem_unit;
  found.free_memory_bytes = free_memory();
  found.free_shared_bytes = free_shared_memory();
  for (const BackEndReport& each : report_back_ends()) {
    found.watching.push_back({each.name, each.works});
  }
  found.fixes_addresses = may_fix_addresses();
  found.has_memfd = has_memfd();
  const auto library = library_beside_command(kNodeLibrary);
  if (library) found.layout = layout_of(loader_listing(library.value()));
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  found.clock_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  return found;
}

}  // namespace weft
