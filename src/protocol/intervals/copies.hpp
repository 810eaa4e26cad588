// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This node's copies of pages homed elsewhere: taken away when they are stale
// (protocol/intervals.md, 5), and when memory is short (12). What was written in them goes to their
// homes.
#pragma once

#include <span>

#include "protocol/comparisons/write_vectors.hpp"
#include "protocol/context/context.hpp"
#include "protocol/fetching/fetcher.hpp"
#include "protocol/intervals/epoch_writes.hpp"
#include "protocol/intervals/home_updates.hpp"
#include "protocol/intervals/invalidation.hpp"
#include "protocol/pages/page_access.hpp"
#include "protocol/pages/page_table.hpp"
#include "protocol/updates/merged_atomics.hpp"

namespace weft {

class Copies {
 public:
  Copies(Context& context, PageTable& table, PageAccess& access, MergedAtomics& merged,
         WriteVectors& vectors, EpochWrites& writes, Fetcher& fetcher, Invalidation& invalidation,
         HomeUpdates& updates)
      : context_(context),
        table_(table),
        access_(access),
        merged_(merged),
        vectors_(vectors),
        writes_(writes),
        fetcher_(fetcher),
        invalidation_(invalidation),
        updates_(updates) {}

  // These are stale.
  void invalidate(const PageSet& pages);
  // Sends the page's unsent writes to its home; the page stays as it is.
  void flush(PageIndex page);
  // The same of these pages that are homed elsewhere (protocol/intervals.md, 30). Of how many there
  // were some.
  std::uint64_t commit(std::span<const PageRange> pages);
  // Takes away a copy that is stale for a reason that is in no record.
  void discard(PageIndex page);

  // --- memory pressure ---
  // The pages that this node has written in this epoch, as far as it knows.
  [[nodiscard]] PageSet written_so_far();
  // Takes copies away that are right. What was written goes to the home; `written` as above.
  void evict(const PageSet& pages, const PageSet& written);
  // Unmaps copies that are right, and keeps them: who touches one again shows that it is in use.
  void give_second_chance(const PageSet& pages);

 private:
  using DiffsByHome = HomeUpdates::DiffsByHome;

  PageSet unmap_what_is_mapped(PageRange pages);
  void write_back(PageIndex page, Bytes diff, DiffsByHome& diffs);

  Context& context_;
  PageTable& table_;
  PageAccess& access_;
  MergedAtomics& merged_;
  WriteVectors& vectors_;
  EpochWrites& writes_;
  Fetcher& fetcher_;
  Invalidation& invalidation_;
  HomeUpdates& updates_;
};

}  // namespace weft
