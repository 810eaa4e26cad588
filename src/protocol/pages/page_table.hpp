// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this node knows of each page (protocol/pages.md, 1 and 17). Entries are kept by the leaf of
// a few dozen neighbouring pages, for those that this node has touched, or is the home or the
// directory of. Of all others it knows whether they were written, and remembers where some of their
// homes are. So a region of terabytes costs what this node uses of it, and a job of many nodes does
// not cost each of them what the others write.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/ids.hpp"
#include "base/page_range.hpp"
#include "protocol/context/coverage.hpp"
#include "protocol/interface/engine_config.hpp"
#include "protocol/interface/home_facts.hpp"
#include "protocol/pages/page_kinds.hpp"
#include "protocol/pages/page_runs.hpp"
#include "protocol/pages/page_states.hpp"
#include "protocol/pages/remembered_homes.hpp"

namespace weft {

struct Page : HomeFacts {
  Machine<PageStates> state{PageState::kPristine};  // goes on by PageTable::turn alone
  bool mapped = false;                              // the program has access
  bool wanted = false;  // a thread waits for the fetch (else it is read-ahead)
  bool lent = false;    // came in a reply that was read at no one moment (protocol/locks.md, 15)
  bool owed = false;    // nothing has come, nor been taken away, since stale_since
  std::uint8_t replaces = 0;  // so many of this node's next notices of it say that it replaces it
  PageUse use;                // at the home: what it is used for
  Epoch home_since;           // at the home: since when it has been that without a break
  // Elsewhere: the epoch that began when all were told that it was written. At the home: since when
  // nobody has written it, as far as it can tell.
  Epoch stale_since;
  std::uint32_t request = 0;  // the fetch that may still bring this page; 0 for none
  std::uint32_t fetched = 0;  // the one that brought it last

  [[nodiscard]] bool is_home() const {
    return state == PageState::kShared || state == PageState::kExclusive;
  }
  void note_replaced(std::uint32_t notices) { replaces = static_cast<std::uint8_t>(notices); }
  [[nodiscard]] bool has_known_home() const { return home != kNoNode; }
  // Pushed, and not mapped, to see whether it is touched.
  [[nodiscard]] bool is_held_back() const { return state == PageState::kValid && !mapped; }
};

class PageTable {
 public:
  explicit PageTable(const EngineConfig& config);

  Page& at(PageIndex page) {
    const std::uint64_t leaf = leaf_index(page);
    std::unique_ptr<Page[]>* place = place_of(leaf);
    if (!place || !*place) [[unlikely]]
      return make_leaf(leaf)[page.value() & leaf_mask_];
    Page& entry = (*place)[page.value() & leaf_mask_];
#ifdef WEFT_DELIBERATE_BUGS
    if (coverage) coverage->note(entry.state, entry.mapped, entry.request != 0);
#endif
    return entry;
  }
  // The only way by which a page's state changes.
  void turn(Page& entry, PageIndex page, PageEvent event) {
    [[maybe_unused]] const std::size_t row = entry.state.turn(event, page.value());
#ifdef WEFT_DELIBERATE_BUGS
    if (coverage) coverage->note_row<PageStates>(row);
#endif
  }
#ifdef WEFT_DELIBERATE_BUGS
  Coverage* coverage = nullptr;
#endif
  // As at(), but null for a page that has no entry.
  [[nodiscard]] const Page* find(PageIndex page) const;
  // With an entry or without. kNoNode: it is to be asked of the directory.
  [[nodiscard]] NodeId home_of(PageIndex page) const;
  [[nodiscard]] PageState state_of(PageIndex page) const;

  // These pages were written: calls `visit` for those that have entries, or are to have one now,
  // ascending; for the others, takes down what `change` makes of their homes.
  template <typename Visit, typename Change>
  void note_written(PageRange pages, Visit visit, Change change) {
    while (pages.count > 0) {
      const PageRange part = beginning_in_leaf(pages);
      if (needs_entries(part)) {
        for_each_page(part, [&](PageIndex page) { visit(at(page), page); });
      } else {
        for (const HomeRun& run : note_elsewhere(part))
          remembered_.set(run.pages, change(run.facts));
      }
      pages = {part.end(), pages.count - part.count};
    }
  }

  // The node that always knows the home of a page, and of its neighbours in the leaf.
  [[nodiscard]] NodeId directory_of(PageIndex page) const;
  [[nodiscard]] PageRange leaf_of(PageIndex page) const;
  // At the directory: all that there is to know of the leaf.
  [[nodiscard]] std::vector<HomeRun> homes_in_leaf(PageIndex page);
  // What the directory said: fills in homes that are not known here.
  void learn(const std::vector<HomeRun>& runs);

  [[nodiscard]] std::uint64_t page_count() const { return config_.page_count; }
  [[nodiscard]] PageSet invalid_pages() const;
  // Those of these pages that may hold something else than their initial contents: the others were
  // never written by anybody, as far as this node has acquired, nor touched here. May be too many.
  [[nodiscard]] PageSet used_pages(PageRange pages) const;
  // Of all pages that have entries, ascending.
  template <typename Look>
  void for_each_entry(Look look) const {
    for (std::size_t branch = 0; branch < branches_.size(); ++branch) {
      if (!branches_[branch]) continue;
      for (std::size_t index = 0; index < kBranch; ++index) {
        const std::uint64_t leaf = branch * kBranch + index;
        const Page* entries = leaf_at(leaf);
        if (!entries) continue;
        for_each_page(leaf_of(PageIndex(leaf << config_.leaf_shift)),
                      [&](PageIndex page) { look(entries[page.value() & leaf_mask_], page); });
      }
    }
  }

 private:
  static constexpr std::size_t kBranch = 64;  // leaves
  using Branch = std::array<std::unique_ptr<Page[]>, kBranch>;

  [[nodiscard]] std::uint64_t leaf_index(PageIndex page) const {
    return page.value() >> config_.leaf_shift;
  }
  std::unique_ptr<Page[]>* place_of(std::uint64_t leaf) {
    Branch* branch = branches_[leaf / kBranch].get();
    return branch ? &(*branch)[leaf % kBranch] : nullptr;
  }
  [[nodiscard]] const Page* leaf_at(std::uint64_t leaf) const {
    const Branch* branch = branches_[leaf / kBranch].get();
    return branch ? (*branch)[leaf % kBranch].get() : nullptr;
  }
  Page* make_leaf(std::uint64_t leaf);
  [[nodiscard]] Page initial_entry(PageIndex page) const;
  [[nodiscard]] NodeId initial_home(PageIndex page) const;
  [[nodiscard]] std::vector<HomeRun> initial_homes(PageRange pages) const;
  [[nodiscard]] bool needs_entries(PageRange pages) const;
  // Those of these pages that are in the first one's leaf.
  [[nodiscard]] PageRange beginning_in_leaf(PageRange pages) const;
  // Pages of one leaf without entries. Returns what was known of their homes so far.
  [[nodiscard]] std::vector<HomeRun> note_elsewhere(PageRange pages);

  const EngineConfig& config_;
  const std::uint64_t leaf_mask_;
  std::vector<std::unique_ptr<Branch>> branches_;
  PageSet noticed_;  // among pages without an entry: those that somebody has written
  RememberedHomes remembered_;
};

}  // namespace weft
