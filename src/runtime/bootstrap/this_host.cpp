// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/bootstrap/this_host.hpp"

#include <sched.h>
#include <unistd.h>

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

}  // namespace weft
