// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a node says about itself at its end, if it is asked to (`weft run --stats`;
// docs/reference/counters.md): for people, what is not zero; for scripts, everything.
#pragma once

#include <string>
#include <string_view>

#include "base/ids.hpp"
#include "protocol/interface/counters.hpp"
#include "protocol/pages/page_kinds.hpp"
#include "runtime/interface/spreading.hpp"
#include "transport/transport.hpp"

namespace weft {

struct Statistics {
  NodeId node;
  EngineCounters engine;
  PagesByKind pages{};
  TransportCounters transport;
  RegionAccount regions{};  // node 0's
};

// "weft: node 1: pages: faults 3, first_touches 2; barriers ...": by group, in one line.
[[nodiscard]] std::string as_text(const Statistics& statistics);

// {"weft_node": 1, "counters": {"faults": 3, ...}, "transport": {...}, "homed_here": {...}}, in one
// line. Names are identifiers and words, so nothing is to be escaped.
[[nodiscard]] std::string as_json(const Statistics& statistics);

// Writes to standard error: the statistics, in the format ("text" or "json"; empty: not at all),
// and in a sentence how many strangers were refused, if any were.
void print_last_words(const Statistics& statistics, std::string_view format);

}  // namespace weft
