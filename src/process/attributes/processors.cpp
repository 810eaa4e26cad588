// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many processors there are, for programs that make as many threads as there are: where their
// threads start on any node, as many as the job has threads. (std::thread::hardware_concurrency
// asks get_nprocs.) libomp, which asks sysconf, is told of its own host.
#include <sys/sysinfo.h>
#include <unistd.h>

#include "libc/interposition/interpose.hpp"
#include "runtime/interface/job_processors.hpp"
#include "runtime/libraries/program_objects.hpp"

namespace weft::process {

WEFT_ENTRY(int, get_nprocs, void) {
  const int count = processors_told();
  return count > 0 ? count : WEFT_REAL(get_nprocs)();
}

WEFT_ENTRY(int, get_nprocs_conf, void) {
  const int count = processors_told();
  return count > 0 ? count : WEFT_REAL(get_nprocs_conf)();
}

WEFT_ENTRY(long, sysconf, int name) {
  const bool asks_for_processors = name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF;
  if (asks_for_processors && is_in_program(__builtin_return_address(0))) {
    const int count = processors_told();
    if (count > 0) return count;
  }
  return WEFT_REAL(sysconf)(name);
}

}  // namespace weft::process
