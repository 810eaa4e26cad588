// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages that travel with a lock (protocol/locks.md, 15). A node asks, with the lock, for the pages
// that it needed when it held the lock before; who hands it over sends those that the asker has not
// got as they are now, so that the critical section need not ask their homes.
#pragma once

#include "protocol/context/context.hpp"
#include "protocol/fetching/fetcher.hpp"
#include "protocol/fetching/lock_needs.hpp"
#include "protocol/homes/copy_holders.hpp"
#include "protocol/intervals/coherence.hpp"
#include "protocol/pages/page_access.hpp"
#include "protocol/pages/page_table.hpp"
#include "protocol/updates/update_streams.hpp"

namespace weft {

class LockPages {
 public:
  LockPages(Context& context, PageTable& table, PageAccess& access, Coherence& coherence,
            UpdateStreams& streams, CopyHolders& holders, EpochWrites& writes, LockNeeds& needs,
            Fetcher& fetcher)
      : context_(context),
        table_(table),
        access_(access),
        coherence_(coherence),
        streams_(streams),
        holders_(holders),
        writes_(writes),
        needs_(needs),
        fetcher_(fetcher) {}

  // --- learning ---
  void note_held(LockId lock) { needs_.note_held(lock); }
  void note_released(LockId lock) { needs_.note_released(lock); }
  // These belong to a lock that has a home.
  void note_bound(const PageSet& pages) { coherence_.learn_carried(pages); }

  // --- the asker ---
  // What is wanted with the lock.
  [[nodiscard]] PageSet wanted(LockId lock) { return needs_.wanted(lock); }
  [[nodiscard]] PageSet absent_of(const PageSet& wanted) const;
  // Takes what is right for this node; the grant's records have been applied.
  void take(NodeId from, Epoch epoch, const LockGrant& grant);

  // --- who hands the lock over ---
  [[nodiscard]] bool carries() const;
  // Adds the pages that the asker has not got, or will have lost by the grant's records, if this
  // node has them; those for which diffs are enough are left out.
  void add_pages(LockGrant& grant, const LockForward& to);

 private:
  [[nodiscard]] bool has_present_contents(PageIndex page);
  [[nodiscard]] bool may_install(NodeId from, PageIndex page) const;
  void add_absent(const PageSet& absent, PageSet& lacking);

  Context& context_;
  PageTable& table_;
  PageAccess& access_;
  Coherence& coherence_;
  UpdateStreams& streams_;
  CopyHolders& holders_;
  EpochWrites& writes_;
  LockNeeds& needs_;
  Fetcher& fetcher_;
};

}  // namespace weft
