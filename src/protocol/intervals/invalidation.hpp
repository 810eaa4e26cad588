// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages whose copies here are stale: what the page table is to know of them (protocol/intervals.md,
// 4).
#pragma once

#include <vector>

#include "protocol/comparisons/eager_releases.hpp"
#include "protocol/fetching/fetcher.hpp"
#include "protocol/pages/page_access.hpp"
#include "protocol/pages/page_runs.hpp"
#include "protocol/pages/page_table.hpp"

namespace weft {

class Invalidation {
 public:
  Invalidation(PageTable& table, PageAccess& access, EagerReleases& releases, Fetcher& fetcher)
      : table_(table), access_(access), releases_(releases), fetcher_(fetcher) {}

  // Marks the copies of pages homed elsewhere. `mapped` gets those that the program can reach,
  // which the caller is to take away; `wanted` those that threads wait for.
  void mark(PageRange pages, PageRuns& mapped, std::vector<PageIndex>& wanted);
  // Copies without the updates of these pages, or perhaps without, are of no use once those are
  // sent. Those that are mapped have them.
  void forget_unmapped(const PageSet& sent);
  void forget_unmapped(PageIndex sent);

 private:
  void mark_unmapped(PageIndex page, std::vector<PageIndex>& wanted);

  PageTable& table_;
  PageAccess& access_;
  EagerReleases& releases_;
  Fetcher& fetcher_;
};

}  // namespace weft
