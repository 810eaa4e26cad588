// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pages belong to which locks, where locks have homes (protocol/comparisons.md, 19). The
// directory of a page knows of which node the locks are to which it belongs: of the first that
// claimed it. The home of a lock knows its pages. Only these travel with it.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "protocol/context/context.hpp"
#include "protocol/fetching/fetcher.hpp"
#include "protocol/intervals/coherence.hpp"
#include "protocol/pages/page_table.hpp"

namespace weft {

class PageBindings {
 public:
  PageBindings(Context& context, PageTable& table, Coherence& coherence, Fetcher& fetcher)
      : context_(context), table_(table), coherence_(coherence), fetcher_(fetcher) {}

  // --- as a lock's home ---
  // Somebody needs these pages with the lock: what is to be claimed of them, and of which
  // directories. Each page is considered once.
  using Claims = std::map<NodeId, PageSet>;
  [[nodiscard]] Claims consider(LockId lock, const PageSet& pages);
  // Returns the answer if it is known here, or else asks the directory.
  [[nodiscard]] std::optional<PageClaimReply> claim(NodeId directory, const PageClaim& claim);
  // Pages that were granted belong to the lock from now on.
  void bind(const PageClaimReply& reply);
  [[nodiscard]] PageSet bound_to(LockId lock) const;

  // --- as a page's directory ---
  void on_claim(NodeId from, const PageClaim& claim);

 private:
  struct Pages {
    PageSet considered, bound;
  };

  [[nodiscard]] PageClaimReply decide(NodeId claimant, const PageClaim& claim);

  Context& context_;
  PageTable& table_;
  Coherence& coherence_;
  Fetcher& fetcher_;
  std::map<LockId, Pages> locks_;
  std::map<PageIndex, NodeId> owners_;
};

}  // namespace weft
