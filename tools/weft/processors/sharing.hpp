// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the nodes of a host share its processors (docs/decisions/0020-processors.md). Each gets whole
// cores of its own, as many as the others, and neighbours in the machine: the cut goes along
// sockets and NUMA domains, unless that left more than a quarter of the processors without a
// thread.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "weft/processors/processors.hpp"

namespace weft {

enum class Binding {
  kAuto,    // to the node's own share, where there are as many processors as threads
  kCore,    // the same, and Weft says so where there are not
  kNuma,    // to all processors of the NUMA domains in which the share lies
  kSocket,  // of the sockets
  kNone,
};

// By the words of --bind, in the order of the values above.
inline constexpr std::array<std::string_view, 5> kBindings = {"auto", "core", "numa", "socket",
                                                              "none"};

// The nodes of one host.
struct Sharing {
  unsigned usable = 1;             // processors of all of them
  unsigned fewest = 1;             // in the share of a node
  std::vector<ProcessorSet> sets;  // to which each is bound; none: they are not
  std::string unbound;             // why they are not: "4 threads have 2 processors"
};

// `limit`: how many processors the job may use there; 0: all of them.
[[nodiscard]] Sharing share_processors(const std::vector<Processor>& processors, unsigned limit,
                                       unsigned nodes, Binding binding);

// Threads that outnumber the processors are the system's to place.
void unbind_if_crowded(Sharing& sharing, unsigned nodes, unsigned threads_of_each);

// "0-3,8"
[[nodiscard]] std::string text_of(const ProcessorSet& set);

// Lines for the user: what `-v` says of the host's nodes, of which the first has this number. If it
// does not say everything, then only where a binding that was asked for is not done.
[[nodiscard]] std::vector<std::string> describe(const Sharing& sharing, const std::string& host,
                                                unsigned first_node, Binding binding,
                                                bool everything);

}  // namespace weft
