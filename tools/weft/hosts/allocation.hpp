// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hosts that Slurm has allocated to the shell or batch script in which `weft run` is started.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "weft/hosts/host_list.hpp"

namespace weft {

struct Allocation {
  std::vector<Host> hosts;           // with the tasks of each, where tasks were asked for
  std::vector<unsigned> processors;  // of each host
};

// The value of an environment variable, or nullptr.
using Variables = std::function<const char*(const char* name)>;

// "2(x3),1": 2, 2, 2, 1. Fails if the text is something else, or counts other than `hosts` hosts.
[[nodiscard]] Result<std::vector<unsigned>> parse_counts(std::string_view text, std::size_t hosts);

// From SLURM_* variables; nothing outside an allocation. `names` are the hosts of the list in
// SLURM_JOB_NODELIST, which Slurm's own scontrol spells out.
[[nodiscard]] Result<std::optional<Allocation>> allocation_of(
    const Variables& variables,
    const std::function<Result<std::vector<std::string>>(const std::string& list)>& names);

// Of this process. Blocks while scontrol runs.
[[nodiscard]] Result<std::optional<Allocation>> own_allocation();

// The command that runs `command` on a host of the allocation, with so many processors.
[[nodiscard]] std::vector<std::string> command_by_slurm(const std::string& host,
                                                        unsigned processors,
                                                        const std::vector<std::string>& command);

}  // namespace weft
