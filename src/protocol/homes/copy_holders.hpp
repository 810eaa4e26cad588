// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whom this node, as the home of a page, has given copies since the page was its own alone, so that
// a notice that says nothing new goes to those nodes and to no others (protocol/homes.md, 7:
// settled).
//
// Every copy of a page that was ever noticed is known here: each came from its home.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/page_map.hpp"
#include "protocol/context/context.hpp"
#include "protocol/pages/page_table.hpp"

namespace weft {

class CopyHolders {
 public:
  CopyHolders(const Context& context, PageTable& table) : context_(context), table_(table) {}

  // This node, the page's home, gives a copy away.
  void note(PageIndex page, NodeId node);
  void note(const PageSet& pages, NodeId node);
  // Any node may take a copy, unasked, until its notice has gone to all.
  void note_anybody(PageIndex page);
  // No other node has a copy any more; or only this one.
  void forget(PageIndex page) {
    holders_.erase(page);
    if (!all_told_.empty()) all_told_.erase(page);
  }
  void reset(PageIndex page, NodeId only);
  // No other node has a copy, and the page stays shared all the same: it will be given away again.
  void expect_some(PageIndex page) { holders_[page] = {}; }

  // --- copies that are taken away within an epoch (protocol/comparisons.md, 20) ---
  // All who may have a copy; null where that is not known.
  [[nodiscard]] const std::vector<NodeId>* all_of(PageIndex page) const;
  // This node has told that it has none of them any more.
  void note_recalled(const PageSet& pages, NodeId node);
  // Nobody has a copy but those who are noted: all nodes were told that the page was written.
  void know_all_of(const PageSet& pages) { all_told_.insert(pages); }
  void know_all_of(PageIndex page) { all_told_.insert(page); }

  // --- at the end of an epoch ---
  // This node arrives at a barrier with these notices: takes out those that are settled.
  [[nodiscard]] std::vector<SettledNotice> announce(std::vector<Notice>& notices);
  // The epoch ends with these notices to all: what is left of what was announced.
  [[nodiscard]] PageSet settle(const std::vector<Notice>& to_all);
  // The page's notice has been told. False if nobody else has a copy now; true if somebody was
  // given one after the page was announced: that one is as new as the epoch that begins.
  [[nodiscard]] bool outlive_notice(PageIndex page);

 private:
  // With more it is cheaper to tell all nodes. One more than these are remembered, to know that.
  static constexpr std::size_t kMostHolders = 16;

  struct Holders {
    std::vector<NodeId> nodes;
    // So many of them, from the first on, are told of a settled notice. None: all nodes are.
    std::optional<std::size_t> announced{};
    bool anybody = false;  // may have taken a copy

    [[nodiscard]] bool is_incomplete() const { return anybody || nodes.size() > kMostHolders; }
  };

  void note_use(PageIndex page, bool is_first);
  // Null if all nodes are.
  [[nodiscard]] Holders* to_be_told(PageIndex page);

  const Context& context_;
  PageTable& table_;
  PageMap<Holders> holders_;
  PageSet announced_;
  PageSet all_told_;  // with eager releases alone
};

}  // namespace weft
