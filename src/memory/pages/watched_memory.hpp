// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The real PageMemory: the region, a page watcher, and the twins that diffs are made against.
//
// All calls are made under the node's lock, while the program's threads read, write and fault in
// the program view. What keeps their writes from being lost:
//   - a page is protected (or taken away) before it is compared, so that a later write is noticed;
//   - a diff is made from a copy, and that copy becomes the twin: a byte that is written meanwhile
//   is
//     in this diff or in the next one;
//   - bytes from elsewhere are written one by one, never with their neighbours.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "memory/region/region.hpp"
#include "memory/search/quiet_stretches.hpp"
#include "memory/search/sealed_pages.hpp"
#include "memory/search/search_need.hpp"
#include "memory/search/write_places.hpp"
#include "memory/twins/access_table.hpp"
#include "memory/twins/twin_pool.hpp"
#include "memory/watching/page_watcher.hpp"
#include "protocol/interface/page_memory.hpp"

namespace weft {

struct MemoryOptions {
  // Memory that the region and the twins may take on this node; 0 is no limit. Above three quarters
  // of it, dropped pages give their memory back, and shortage() asks for more of them; above
  // it, the job fails with a sentence.
  std::uint64_t limit_bytes = 0;
  // The host refuses what the job cannot do without. Must not return; by default an assertion.
  std::function<void(const std::string& sentence)> fail;
};

struct MemoryCounters {
  std::uint64_t tracked_pages = 0, untracked_pages = 0;  // now
  std::uint64_t twins_held = 0;                          // now, pages
  std::uint64_t resident_bytes = 0;                      // now, region and twins
  std::uint64_t write_faults = 0, refaults = 0;          // since the start
  std::uint64_t pages_given_back = 0;                    // since the start
  std::uint64_t pages_compared = 0;                      // since the start, with their twins
  std::uint64_t pages_searched = 0;  // since the start: whether they were written
  std::uint64_t pages_replaced = 0;  // since the start, while the program had them (in a pause)
};

class WatchedMemory final : public PageMemory {
 public:
  // Every page is absent. The region must outlive the memory.
  [[nodiscard]] static Result<std::unique_ptr<WatchedMemory>> create(
      Region& region, std::unique_ptr<PageWatcher> watcher, MemoryOptions options = {});

  // Attaches a segment to the region (Region::attach); its pages are absent.
  [[nodiscard]] Status attach(const SegmentSpec& spec);
  // The segments of the region that were not there yet, if any; their pages are absent.
  [[nodiscard]] Status open_stage(unsigned stage);
  [[nodiscard]] Status guard(PageRange pages) { return region_.guard(pages); }

  // A touch of `page` needs help. True: the thread may try again. False: the page is absent, and
  // the protocol must bring it (Engine::handle_fault). Idempotent, so that stale faults do no harm.
  [[nodiscard]] bool on_fault(PageIndex page, bool is_write);
  // The same for a thread that has waited for the page to be mapped: what mapping did already is
  // not done again (system calls, where on_fault cannot know).
  [[nodiscard]] bool is_ready(PageIndex page, bool is_write);

  [[nodiscard]] PageWatcher& watcher() { return *watcher_; }
  [[nodiscard]] const Region& region() const { return region_; }
  [[nodiscard]] MemoryCounters counters() const;
  // Grows whenever pages are taken away: a thread that waits for a page, and did not see it come,
  // must ask again if this has grown since it asked.
  [[nodiscard]] std::uint64_t unmap_calls() const { return unmap_calls_; }
  // Grows whenever the program may have lost access to pages, or is watched anew. Read without the
  // lock it is a little old, perhaps.
  [[nodiscard]] std::uint64_t access_losses() const {
    return access_losses_.load(std::memory_order_relaxed);
  }

  // How many pages should be dropped, now, to get well below the limit; and whether it is so near
  // that those that were written must go as well.
  struct Shortage {
    std::uint64_t pages = 0;
    bool urgent = false;
  };
  [[nodiscard]] Shortage shortage();
  // Bytes; 0: none.
  [[nodiscard]] std::uint64_t limit_bytes() const { return options_.limit_bytes; }

  // --- PageMemory ---
  void map_tracked(PageRange pages, Twin twin) override;
  // Calls visit(run) for the pages to which the program has access, ascending.
  template <typename Visit>
  void for_each_present(PageRange pages, Visit visit) const {
    table_.for_each_run(pages, [&](PageRange run, Access access) {
      if (access != Access::kAbsent) visit(run);
    });
  }
  // Nobody watches any of these pages.
  [[nodiscard]] bool is_untracked(PageRange pages) const;
  void map_written(PageRange pages, Twin twin) override;
  std::uint64_t expect_writes(PageRange pages) override;
  void map_untracked(PageRange pages) override;
  void start_tracking(PageRange pages, Twin twin) override;
  void unmap(PageRange pages) override;
  void drop(PageRange pages) override;
  void begin_pause() override { paused_ = true; }
  void end_pause() override;
  void collect_written(PageRange pages, PageSet& written) override;
  void collect_at_rest(std::span<const PageRange> stretches, PhaseKey phase,
                       PageSet& written) override;
  [[nodiscard]] ByteView contents(PageIndex page) const override;
  [[nodiscard]] ByteView twin(PageIndex page) const override;
  void install(PageIndex page, ByteView contents) override;
  [[nodiscard]] std::span<std::byte> room(PageRange absent) override;
  [[nodiscard]] Bytes make_diff(PageIndex page) override;
  bool append_diff(PageIndex page, Bytes& out) override;
  void apply_diff(PageIndex page, ByteView diff) override;
  void patch_diff(PageIndex page, ByteView diff) override;
  AtomicResult perform(const AtomicRequest& request) override;
  void merge(const AtomicRequest& request) override;
  bool patch(GlobalOffset where, ByteView expected, ByteView bytes) override;

 private:
  WatchedMemory(Region& region, std::unique_ptr<PageWatcher> watcher, AccessTable table,
                MemoryOptions options);

  bool allow_write(PageIndex page);
  struct Expected {
    std::vector<PageRange> these, others;
  };
  // Which of these pages are about to be written; they are not expected any more.
  [[nodiscard]] Expected take_expected(PageRange pages);
  void map_watched(PageRange pages, Twin twin);
  void map_expected(PageRange pages, Twin twin);
  void unmap_lingering(PageRange pages);
  // Whether these absent pages' first writes trap, now or before: no copied twin is needed yet.
  bool seal(PageRange pages);
  // Lets writes pass there again. False: nothing was sealed.
  bool open_sealed(PageRange pages);
  // The same for pages of which no twin is made: what they hold is of no use.
  void unseal(PageRange pages);
  // Of a page that was overwritten whole. It will be again, or read: a twin of it is made if not.
  [[nodiscard]] bool may_seal_later(PageIndex page) const;
  // They were their own twins in the pause, and are to stay so.
  void seal_own_twins(PageRange pages);
  [[nodiscard]] bool traps() const { return watcher_->traits().traps_writes; }
  void require(const Status& status) const;
  void require_in_region(PageIndex page) const;
  void prepare_to_open(PageRange pages);
  void map_open(PageRange pages);
  std::uint64_t open_closed(PageRange untracked);
  void protect(PageRange pages, Twin twin);
  void note_open(PageRange pages);
  void reopen(PageRange pages);
  void open_with_twins(PageRange pages);
  void set_access(PageRange pages, Access access);
  [[nodiscard]] std::vector<PageRange> searched_runs(PageRange pages) const;
  // Adds what was found to `written`, and what was known before.
  void add_written(const PageSet& found, PageSet& written);
  void add_known(PageRange pages, PageSet& written);
  [[nodiscard]] PageSet search_at_rest(std::span<const PageRange> stretches, PhaseKey phase);
  [[nodiscard]] PageSet take_written(PageRange pages);
  void take_written(std::span<const PageRange> runs, PageSet& taken);
  void seal_quiet(PageRange searched, PageSet& written);
  void note_written(const PageSet& pages);
  bool append_diff_of_absent(PageIndex page, Bytes& out);
  bool append_difference(PageIndex page, const std::byte* contents, Bytes& out);
  void set_twins(PageRange pages, Twin twin, bool sealed = false);
  [[nodiscard]] std::byte* twin_of(GlobalOffset where, std::size_t size);
  void hold_twin(PageIndex page, const std::byte* contents);
  void release_twin(PageIndex page);
  void hold_same_twin(PageIndex page);
  [[nodiscard]] const std::byte* twin_of(PageIndex page) const;
  void make_room(std::uint64_t pages);
  void give_dropped_back();
  [[nodiscard]] std::uint64_t resident_bytes() const;

  Region& region_;
  std::unique_ptr<PageWatcher> watcher_;
  AccessTable table_;
  MemoryOptions options_;
  TwinPool twins_;
  // Where writes trap: the tracked pages that may be written now. Elsewhere: pages known to have
  // been written that the watcher no longer knows of.
  PageSet written_;
  PageSet to_seal_;   // when the pause ends
  PageSet open_;      // mapped as written, and not found written since
  PageSet expected_;  // absent or untracked, and written once they are tracked
  SealedPages sealed_;
  QuietStretches quiet_;
  WritePlaces write_places_;
  SearchNeed search_need_;
  bool paused_ = false;
  PageSet lingering_;  // absent pages that stay mapped and tracked until the pause ends
  PageSet dropped_;    // absent pages whose contents nobody needs any more, and that take memory
  MemoryCounters counters_;
  std::uint64_t unmap_calls_ = 0;
  std::atomic<std::uint64_t> access_losses_ = 0;
};

}  // namespace weft
