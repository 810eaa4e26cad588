// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/run/placement.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <utility>

#include "weft/hosts/allocation.hpp"
#include "weft/hosts/host_list.hpp"
#include "weft/hosts/reach.hpp"

namespace weft {
namespace {

// The hosts that the user names, or Slurm has allocated; none: this host is meant.
Result<Allocation> hosts_meant(const RunOptions& options) {
  if (options.hosts.empty() && options.hostfile.empty()) {
    auto allocated = own_allocation();
    if (!allocated) return Failure{allocated.error()};
    return allocated.value().value_or(Allocation());
  }
  Result<std::vector<Host>> hosts =
      options.hosts.empty() ? read_hostfile(options.hostfile) : parse_hosts(options.hosts);
  if (!hosts) return Failure{hosts.error()};
  return Allocation{.hosts = std::move(hosts.value()), .processors = {}};
}

}  // namespace

Result<std::vector<Placement>> place_nodes(const RunOptions& options) {
  const auto meant = hosts_meant(options);
  if (!meant) return Failure{meant.error()};
  const auto& [hosts, processors] = meant.value();
  if (hosts.empty()) return std::vector<Placement>();
  std::optional<unsigned> wanted;
  if (options.nodes != 0) wanted = options.nodes;
  const auto counts = divide_nodes(hosts, wanted);
  if (!counts) return Failure{counts.error()};
  const auto& each_has = counts.value();
  if (const Status status = check_node_count(std::accumulate(each_has.begin(), each_has.end(), 0U));
      !status) {
    return Failure{status.error()};
  }
  std::vector<Placement> placements;
  for (std::size_t host = 0; host < hosts.size(); ++host) {
    const unsigned nodes = options.per_numa ? 0 : each_has[host];
    if (nodes == 0 && !options.per_numa) continue;
    placements.push_back({.host = hosts[host].name,
                          .is_here = is_this_host(hosts[host].name),
                          .nodes = nodes,
                          .slurm_processors = processors.empty() ? 0 : processors[host]});
  }
  return placements;
}

bool are_all_here(const std::vector<Placement>& placements) {
  return std::ranges::all_of(placements, &Placement::is_here);
}

std::vector<std::string> command_of(const Placement& placement, const RunOptions& options,
                                    const std::vector<std::string>& command) {
  if (placement.slurm_processors != 0) {
    return command_by_slurm(placement.host, placement.slurm_processors, command);
  }
  const char* const shell = std::getenv("WEFT_SSH");
  const unsigned limit = lost_after_seconds(options);
  const unsigned patience = limit == 0 ? kStartSeconds : limit;
  return command_to_reach(placement.host, shell == nullptr ? "" : shell, patience, command);
}

}  // namespace weft
