// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What notices tell of a page, the same at every node that knows it: where its home is, and what
// the choice of the next one depends on (home_choice.hpp).
#pragma once

#include "base/codec.hpp"
#include "base/ids.hpp"
#include "base/page_range.hpp"

namespace weft {

inline constexpr NodeId kNoNode = NodeId(0xffff);

struct HomeFacts {
  NodeId home = kNoNode;  // kNoNode: this node does not know
  // Who alone wrote it in the last epoch in which anybody did, and in the one before; kNoNode if
  // several did, or nobody yet.
  NodeId last_writer = kNoNode, writer_before = kNoNode;
  WEFT_FIELDS(self.home, self.last_writer, self.writer_before)
  bool operator==(const HomeFacts&) const = default;
};

// Of consecutive pages.
struct HomeRun {
  PageRange pages;
  HomeFacts facts;
  WEFT_FIELDS(self.pages.first, self.pages.count, self.facts)
  bool operator==(const HomeRun&) const = default;
};

}  // namespace weft
