// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic updates that this node has promised to their homes and not sent yet (protocol/updates.md,
// 16). Updates of one object that can be added up are one. Pure bookkeeping.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/page_range.hpp"
#include "protocol/interface/page_memory.hpp"

namespace weft {

class MergedAtomics {
 public:
  // Whether others' updates of the same object may come before or after it, all alike. (Floating
  // point sums do depend on the order, but any order is right.)
  [[nodiscard]] static bool commutes(AtomicOperation operation);

  // True if this is the first for its page since that was last taken.
  bool add(NodeId home, const AtomicRequest& request);
  [[nodiscard]] bool empty() const { return by_home_.empty(); }
  // How many updates are kept for this home.
  [[nodiscard]] std::size_t count(NodeId home) const;
  [[nodiscard]] std::vector<NodeId> homes() const;
  // Of one home, those of one object in their order.
  [[nodiscard]] std::vector<AtomicRequest> take(NodeId home);
  [[nodiscard]] std::vector<AtomicRequest> take_all();
  // Those of one page.
  [[nodiscard]] std::vector<AtomicRequest> of_page(NodeId home, PageIndex page) const;

 private:
  struct OfPage {
    std::vector<AtomicRequest> updates;  // in their order
    // By address: the last one of an object, if the next may be added to it.
    std::map<std::uint64_t, std::size_t> last;
  };
  struct Home {
    std::map<PageIndex, OfPage> pages;
    std::size_t count = 0;
  };

  std::map<NodeId, Home> by_home_;
};

[[nodiscard]] PageSet pages_of(const std::vector<AtomicRequest>& updates);

}  // namespace weft
