// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processors that this process may use, and where they lie in the machine, as hwloc sees them.
// Launchers and agents ask; nodes never load hwloc.
#pragma once

#include <vector>

#include "base/codec.hpp"

struct hwloc_topology;

namespace weft {

// One hardware thread. Cores, NUMA domains and sockets are numbered from 0 on their host.
struct Processor {
  unsigned number = 0;  // the operating system's
  unsigned core = 0, numa = 0, socket = 0;
  WEFT_FIELDS(self.number, self.core, self.numa, self.socket)
  bool operator==(const Processor&) const = default;
};

// By the system's numbers, in ascending order.
using ProcessorSet = std::vector<unsigned>;

// Those that binding and cgroup of this process allow; neighbours in the machine stand side by
// side. At least one.
[[nodiscard]] std::vector<Processor> processors_of_this_process();

// Those of a loaded topology.
[[nodiscard]] std::vector<Processor> processors_of(hwloc_topology* topology);

// NUMA domains that have one of these processors.
[[nodiscard]] unsigned count_numa_domains(const std::vector<Processor>& processors);

}  // namespace weft
