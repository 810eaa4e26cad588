// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/processors/processors.hpp"

#include <hwloc.h>

#include <set>

#include "runtime/bootstrap/this_host.hpp"

namespace weft {
namespace {

// Of the object of this type that the processor is in; `otherwise` if the machine has no such.
unsigned index_around(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_obj_t processor,
                      unsigned otherwise) {
  const hwloc_obj_t around = hwloc_get_ancestor_obj_by_type(topology, type, processor);
  return around == nullptr ? otherwise : around->logical_index;
}

// Domains of fast memory may lie around the same processors; the first is the ordinary one.
unsigned numa_domain_of(hwloc_topology_t topology, hwloc_obj_t processor) {
  hwloc_obj_t domain = nullptr;
  while ((domain = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, domain)) != nullptr) {
    if (hwloc_bitmap_isset(domain->cpuset, processor->os_index) != 0) return domain->logical_index;
  }
  return 0;
}

// Only what is asked for here, which takes a fraction of the time of the whole.
bool load(hwloc_topology_t topology) {
  hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  for (const hwloc_obj_type_t each : {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_CORE}) {
    hwloc_topology_set_type_filter(topology, each, HWLOC_TYPE_FILTER_KEEP_ALL);
  }
  // Also where the user's environment has a description of the machine for hwloc.
  hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM |
                                         HWLOC_TOPOLOGY_FLAG_THISSYSTEM_ALLOWED_RESOURCES |
                                         HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING |
                                         HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING);
  return hwloc_topology_load(topology) == 0;
}

}  // namespace

std::vector<Processor> processors_of_this_process() {
  std::vector<Processor> all;
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) == 0) {
    if (load(topology)) all = processors_of(topology);
    hwloc_topology_destroy(topology);
  }
  if (!all.empty()) return all;
  // A machine that hwloc cannot read: as many as there are, of which nothing is known.
  for (unsigned each = 0; each < usable_processors(); ++each) all.push_back({each, each, 0, 0});
  return all;
}

std::vector<Processor> processors_of(hwloc_topology_t topology) {
  std::vector<Processor> all;
  hwloc_obj_t each = nullptr;
  while ((each = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, each)) != nullptr) {
    all.push_back({.number = each->os_index,
                   .core = index_around(topology, HWLOC_OBJ_CORE, each, each->logical_index),
                   .numa = numa_domain_of(topology, each),
                   .socket = index_around(topology, HWLOC_OBJ_PACKAGE, each, 0)});
  }
  return all;
}

unsigned count_numa_domains(const std::vector<Processor>& processors) {
  std::set<unsigned> domains;
  for (const Processor& each : processors) domains.insert(each.numa);
  return static_cast<unsigned>(domains.size());
}

}  // namespace weft
