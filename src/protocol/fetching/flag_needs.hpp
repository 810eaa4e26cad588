// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pages nodes need behind flags (protocol/operations.md, 24). An acquire by an atomic
// operation or a flush takes copies away. Of these, pages that a thread touches again in the same
// epoch are needed: whoever writes them is told, along the operations themselves, and sends their
// diffs with its records from then on.
#pragma once

#include <map>
#include <vector>

#include "base/page_range.hpp"
#include "protocol/context/context.hpp"
#include "protocol/pages/page_access.hpp"
#include "protocol/updates/carried_diffs.hpp"

namespace weft {

class FlagNeeds {
 public:
  FlagNeeds(Context& context, PageAccess& access, CarriedDiffs& carried)
      : context_(context), access_(access), carried_(carried) {}

  // --- learning ---
  // Records that came with an operation name these pages.
  void note_lost(const PageSet& pages);
  // Diffs have brought copies of these up to date.
  void note_kept(const PageSet& pages) {
    for (const PageRange& range : pages.ranges()) lost_.erase(range);
  }
  // A page that this node has not got is touched.
  void note_missed(PageIndex page);

  // --- telling ---
  // What is needed, here or elsewhere as far as this node knows, and that node was not told.
  [[nodiscard]] PageSet untold(NodeId to);
  // Whether there is anything of the kind.
  [[nodiscard]] bool has_untold(NodeId to) const;
  // That node has told it. Returns those pages of them that are new here.
  [[nodiscard]] PageSet note_told(NodeId from, const PageSet& pages);

 private:
  [[nodiscard]] bool learn(PageIndex page);

  Context& context_;
  PageAccess& access_;
  CarriedDiffs& carried_;
  Epoch epoch_;
  PageSet lost_;    // in that epoch
  PageSet learnt_;  // the same pages as in order_
  std::vector<PageIndex> order_;
  std::map<NodeId, std::size_t> told_;  // so many of them, from the first on
};

}  // namespace weft
