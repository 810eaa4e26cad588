// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's access to pages: passes on to PageMemory, keeps the page table's `mapped` in step,
// and knows which ranges are tracked, so that only those are searched for written pages.
#pragma once

#include "protocol/pages/open_pages.hpp"
#include "protocol/pages/page_runs.hpp"
#include "protocol/pages/page_table.hpp"
#include "protocol/pages/tracked_pages.hpp"
#include "protocol/updates/merged_atomics.hpp"

namespace weft {

class PageAccess {
 public:
  PageAccess(PageTable& table, PageMemory& memory, const MergedAtomics& merged, OpenPages& open)
      : table_(table), memory_(memory), merged_(merged), open_(open) {}

  void map_tracked(PageRange pages, Twin twin);
  // Those that are written from now on, as PageMemory::map_written.
  void map_written(PageRange pages, Twin twin);
  void map_untracked(PageRange pages);
  void start_tracking(PageRange pages);  // of mapped pages at their home
  // From now on, pages of these that are homed here are tracked with a twin, so that diffs can be
  // made of them, too.
  void want_home_twins(const PageSet& pages) { wanted_twins_.insert(pages); }
  [[nodiscard]] bool has_home_twin(PageIndex page) const { return home_twins_.contains(page); }
  [[nodiscard]] bool wants_home_twin(PageIndex page) const { return wanted_twins_.contains(page); }
  // The page's twin is not what it should be: nobody is to use it.
  void forget_home_twin(PageIndex page) { home_twins_.erase(page); }
  // What others may have of a page that is here, at this moment: without writes that are in no
  // diff yet, if one will be made. A byte that is written there and back is in none; who has seen
  // it in between would keep it.
  [[nodiscard]] ByteView shown_contents(PageIndex page) const;
  // Of a tracked page: writes from before the call are not found any more.
  void take_home_twin(PageIndex page);
  void unmap(PageRange pages);
  void drop(PageRange pages);
  // Unmaps pages that stay as they are, until they are mapped again or dropped.
  void set_aside(PageRange pages);
  // Those that are set aside in the block of pages around this one.
  [[nodiscard]] PageSet set_aside_around(PageIndex page) const;
  // All tracked pages that were written since they were last collected.
  [[nodiscard]] PageSet collect_written();
  // The same while no thread of the program runs, after this phase.
  [[nodiscard]] PageSet collect_at_rest(PhaseKey phase);

 private:
  void set_mapped(PageRange pages, bool mapped);
  void map_merged(PageRange pages, Twin twin);
  // Calls act(range, twin) for the parts of a range of pages homed here.
  template <typename Act>
  void with_home_twins(PageRange pages, Act act);
  // Does this node's atomic updates that are not sent yet on absent pages. Returns those pages.
  [[nodiscard]] PageSet merge_into(PageRange pages);

  PageTable& table_;
  PageMemory& memory_;
  const MergedAtomics& merged_;
  OpenPages& open_;
  TrackedPages tracked_;
  PageSet aside_;
  PageSet wanted_twins_, home_twins_;
};

}  // namespace weft
