// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a page's home is in the next epoch: a rule over what every node knows of the page from
// notices alone, so that all of them come to the same answer without a message (protocol/homes.md,
// 7). EpochTurn asks when the epoch ends; a node that sends its diffs ahead, with its arrival, asks
// before (early_final.cpp). Homes also move by offers (home_offers.hpp).
#pragma once

#include <vector>

#include "protocol/interface/engine_config.hpp"
#include "protocol/interface/home_facts.hpp"

namespace weft {

// The home after an epoch in which these nodes, ascending, wrote the page; `replaced`: most of it.
[[nodiscard]] NodeId choose_home(const HomeFacts& page, const std::vector<NodeId>& writers,
                                 bool replaced, HomePolicy policy);
// Takes them down for the next choice.
void note_writers(HomeFacts& page, const std::vector<NodeId>& writers);

}  // namespace weft
