// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hosts of a job, as users name them: on the command line (--hosts), or in a file (--hostfile)
// in the format of Open MPI or of MPICH.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace weft {

struct Host {
  std::string name;               // as ssh is told it: a name, an address, or user@name
  std::optional<unsigned> nodes;  // that it has room for, where the user says so
  bool operator==(const Host&) const = default;
};

// "a,b:2,user@c,[fe80::1]:4". A host that is named twice has room for both.
[[nodiscard]] Result<std::vector<Host>> parse_hosts(std::string_view text);

// One host a line; '#' begins a comment. After the name: ":2" (MPICH), "slots=2", "max_slots=4" or
// "max-slots=4" (Open MPI), "user=name". `file` is for sentences, which name the line.
[[nodiscard]] Result<std::vector<Host>> parse_hostfile(std::string_view contents,
                                                       const std::string& file);
[[nodiscard]] Result<std::vector<Host>> read_hostfile(const std::string& file);

// How many nodes each host gets, in the order of the list. `nodes` is what the user asked for, or
// nothing: then each host gets those that it has room for, or one. Where no host says how many it
// has room for, they share the nodes evenly.
[[nodiscard]] Result<std::vector<unsigned>> divide_nodes(const std::vector<Host>& hosts,
                                                         std::optional<unsigned> nodes);

}  // namespace weft
