// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of explicit sharing, for all that check memory out and commit it.
#pragma once

#include <vector>

#include "base/accesses/blocks.hpp"
#include "base/page_range.hpp"
#include "runtime/interface/node.hpp"

namespace weft::api {

// The pages of these blocks, all of which is shared memory of one piece. `overwrites`: but those
// that lie wholly in a block, which need not be here.
[[nodiscard]] std::vector<PageRange> pages_to_have(const Node& node, const Blocks& blocks,
                                                   bool overwrites);
// Asks for those that are not here, as many as memory permits; returns the pages that it has looked
// at. Nobody waits.
[[nodiscard]] std::vector<PageRange> ask_for(Node& node, const std::vector<PageRange>& pages,
                                             MemoryUse use);
// Maps the pages that lie wholly in a block. The caller stores to each byte next.
void overwrite_whole_pages(Node& node, const Blocks& blocks);
void commit(Node& node, const Blocks& blocks);

}  // namespace weft::api
