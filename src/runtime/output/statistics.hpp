// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a node says about itself at its end, if it is asked to (`weft run --stats`;
// docs/reference/counters.md): for people, what is not zero; for scripts, everything.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "protocol/interface/counters.hpp"
#include "protocol/pages/page_kinds.hpp"
#include "runtime/interface/call_sites.hpp"
#include "runtime/interface/hint_counts.hpp"
#include "runtime/interface/move_counts.hpp"
#include "runtime/interface/spreading.hpp"
#include "transport/transport.hpp"

namespace weft {

// Of calls before loops (runtime/interface/call_sites.hpp), those at one place of the program.
struct SiteStatistics {
  std::string place;
  SiteCounts counts{};
};

struct Statistics {
  NodeId node;
  EngineCounters engine;
  PagesByKind pages{};
  TransportCounters transport;
  RegionAccount regions{};  // node 0's
  HintAccount hints{};
  MoveAccount moves{};
  std::optional<std::vector<SiteStatistics>> sites = {};  // if they were counted, as printed
};

// Whether the format is one that has sites: "sites" or "sites-json".
[[nodiscard]] bool asks_for_sites(std::string_view format);
// The text, if there is one; else the address. 0: the sites that found no room in the table.
[[nodiscard]] std::string place_of_site(std::uintptr_t address, const std::string& text);
// All that have one place as one: a loop may make several calls. Those that had the most pages and
// misses first.
[[nodiscard]] std::vector<SiteStatistics> merged_by_place(std::vector<SiteStatistics> sites);

// "weft: node 1: pages: faults 3, first_touches 2; barriers ...": by group, in one line. A line for
// each site: "weft: node 1: site heat.c:31: calls 12, pages_prefetched 80".
[[nodiscard]] std::string as_text(const Statistics& statistics);

// {"weft_node": 1, "counters": {"faults": 3, ...}, "transport": {...}, "homed_here": {...},
// "regions": {...}}, in one line; at the end "sites": [{"place": "heat.c:31", "calls": 12, ...}].
[[nodiscard]] std::string as_json(const Statistics& statistics);

// Writes to standard error: the statistics, in the format ("text", "json",
// "sites" or "sites-json"; empty: not at all),
// and in a sentence how many strangers were refused, if any were.
void print_last_words(const Statistics& statistics, std::string_view format);

}  // namespace weft
