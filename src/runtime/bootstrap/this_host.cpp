// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/bootstrap/this_host.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace weft {

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

unsigned usable_processors() {
  cpu_set_t processors;
  if (sched_getaffinity(0, sizeof processors, &processors) != 0) return 1;
  return static_cast<unsigned>(CPU_COUNT(&processors));
}

std::uint64_t usable_memory() {
  struct sysinfo host = {};
  std::uint64_t bytes = UINT64_MAX;
  if (sysinfo(&host) == 0) bytes = std::uint64_t{host.totalram} * host.mem_unit;
  // "0::/user.slice/job_7". "max", or no such file, is no limit.
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::")) continue;
    std::uint64_t allowed = 0;
    if (std::ifstream("/sys/fs/cgroup" + line.substr(3) + "/memory.max") >> allowed) {
      bytes = std::min(bytes, allowed);
    }
  }
  return bytes;
}

bool may_dump_core() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_CORE, &limit) != 0 || limit.rlim_cur > 0) return true;
  return std::ifstream("/proc/sys/kernel/core_pattern").peek() == '|';
}

}  // namespace weft
