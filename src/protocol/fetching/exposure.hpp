// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pages this node, as their home, exposes to the nodes of its host (protocol/exposure.md):
// those of leaves of which pages are asked for one by one. A request costs the asker a message and
// this node a thread that answers; an exposed page costs this node a notice when it is written.
#pragma once

#include <vector>

#include "base/page_map.hpp"
#include "protocol/context/context.hpp"
#include "protocol/homes/copy_holders.hpp"
#include "protocol/pages/page_access.hpp"
#include "protocol/pages/page_table.hpp"

namespace weft {

class Exposure {
 public:
  Exposure(Context& context, PageTable& table, PageAccess& access, CopyHolders& holders)
      : context_(context), table_(table), access_(access), holders_(holders) {}

  // This node has answered a request for these pages, of a walk that goes down or not.
  void note_served(NodeId to, const std::vector<PageIndex>& pages, bool descending);
  // A notice names the page, or it leaves this node: nobody is to read it here.
  void withdraw(PageIndex page);

 private:
  struct Leaf {
    std::uint32_t requests = 0;  // since it was exposed last
    std::uint32_t patience = 0;  // requests beyond the first few that it takes
    bool is_exposed = false;
  };

  // Whether there have been enough of this leaf.
  [[nodiscard]] bool note_request(PageRange leaf);
  // A leaf that needs no request of its own is exposed with the one before it.
  [[nodiscard]] std::uint64_t first_reach() const {
    return context_.config.exposure_proof == 0 ? 1 : 0;
  }
  void expose(PageRange leaf);
  void expose_beyond(PageRange leaf, bool descending);

  Context& context_;
  PageTable& table_;
  PageAccess& access_;
  CopyHolders& holders_;
  PageSet exposed_;
  PageMap<Leaf> leaves_;  // by the first page
  // How many leaves beyond those that are asked for are exposed with them. Grows while nothing that
  // was exposed is written.
  std::uint64_t reach_ = first_reach();
  std::uint32_t requests_ = 0;  // for any leaf, as long
};

}  // namespace weft
