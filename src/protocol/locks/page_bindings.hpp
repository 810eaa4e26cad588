// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pages belong to which locks, where locks have homes (protocol/comparisons.md, 19). The
// directory of a page knows of which node the locks are to which it belongs: of the first that
// claimed it. The home of a lock knows its pages. Only these travel with it.
#pragma once

#include <functional>
#include <map>

#include "protocol/context/context.hpp"
#include "protocol/pages/page_table.hpp"

namespace weft {

class PageBindings {
 public:
  PageBindings(Context& context, PageTable& table) : context_(context), table_(table) {}

  // --- as a lock's home ---
  // Somebody needs these pages with the lock: they are claimed, unless that was done before.
  void consider(LockId lock, const PageSet& pages);
  [[nodiscard]] PageSet bound_to(LockId lock) const;
  void on_reply(const PageClaimReply& reply);
  // Told of pages that belong to a lock from now on; and that a lock should move to another node,
  // to which a page that it needs belongs.
  std::function<void(const PageSet&)> on_bound;
  std::function<void(LockId, NodeId)> on_move_wanted;

  // --- as a page's directory ---
  void on_claim(NodeId from, const PageClaim& claim);

 private:
  struct Pages {
    PageSet considered, bound;
  };

  [[nodiscard]] PageClaimReply decide(NodeId claimant, const PageClaim& claim);

  Context& context_;
  PageTable& table_;
  std::map<LockId, Pages> locks_;
  std::map<PageIndex, NodeId> owners_;
};

}  // namespace weft
