// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Eager releases at the home and at those who have copies (protocol/comparisons.md, 20): a home
// takes away everybody's copies of what was released, and the release is complete when all have
// said that they have none. After MGS (Yeung, Kubiatowicz, Agarwal). The releaser is part of
// Coherence.
#pragma once

#include <cstdint>
#include <map>

#include "protocol/comparisons/eager_releases.hpp"
#include "protocol/context/context.hpp"
#include "protocol/homes/copy_holders.hpp"
#include "protocol/pages/page_table.hpp"

namespace weft {

class Recalls {
 public:
  Recalls(Context& context, PageTable& table, CopyHolders& holders, EagerReleases& releases)
      : context_(context), table_(table), holders_(holders), releases_(releases) {}

  // At the home of these pages, for a release of this node or another: that is complete here when
  // nobody but the releaser has an older copy. `number`: as the releaser counts.
  void recall(const PageSet& pages, NodeId releaser, std::uint64_t number);
  void on_recalled(NodeId from, const Recalled& message);
  // What is not complete need not be any more: see Coherence::abandon_releases.
  void end_epoch() { recalling_.clear(); }

 private:
  struct Recalling {
    std::map<NodeId, PageSet> unanswered;  // what was recalled there
    PageSet from_all;                      // recalled from every node
    NodeId releaser;
    std::uint64_t number = 0;  // of the release
  };

  void finish(NodeId releaser, std::uint64_t number);
  [[nodiscard]] Recalling choose_copies(const PageSet& pages, NodeId releaser);

  Context& context_;
  PageTable& table_;
  CopyHolders& holders_;
  EagerReleases& releases_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, Recalling> recalling_;
};

}  // namespace weft
