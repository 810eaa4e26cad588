// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From notices, which say for each writer what it wrote, to runs, which say for each run of
// pages who wrote it.
#pragma once

#include <vector>

#include "base/page_range.hpp"
#include "protocol/messages/message.hpp"

namespace weft {

struct WrittenRun {
  PageRange pages;
  std::vector<NodeId> writers;  // ascending, at least one
  bool replaced = false;        // most of them
  bool operator==(const WrittenRun&) const = default;
};

// Ascending, disjoint; every page that was noticed is in one. `replaced`: pages that somebody wrote
// most of.
[[nodiscard]] std::vector<WrittenRun> written_runs(const std::vector<Notice>& notices,
                                                   const PageSet& replaced);

}  // namespace weft
