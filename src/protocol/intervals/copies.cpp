// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/intervals/copies.hpp"

#include <utility>

#include "base/assert.hpp"
#include "protocol/interface/bugs.hpp"
#include "protocol/pages/page_runs.hpp"

namespace weft {

// Another thread of this node may be writing other bytes of these pages at this moment: unmap,
// then diff, then drop, so that none is lost.
void Copies::invalidate(const PageSet& pages) {
  PageRuns mapped;
  std::vector<PageIndex> wanted;
  for (const PageRange& range : pages.ranges()) invalidation_.mark(range, mapped, wanted);
  DiffsByHome diffs;
  const auto take_diffs = [&](PageRange range) {
    for_each_page(range, [&](PageIndex page) {
      Bytes diff = updates_.make_diff(page);
      if (diff.empty()) return;
      if (!WEFT_BUG(kFlushWithoutNotice)) writes_.note_here(page);
      diffs[table_.at(page).home].emplace_back(page, std::move(diff));
    });
  };
  for (const PageRange& range : mapped) {
    if (WEFT_BUG(kDiffBeforeUnmap)) take_diffs(range);
    access_.unmap(range);
    if (!WEFT_BUG(kDiffBeforeUnmap)) take_diffs(range);
    for_each_page(range, [&](PageIndex page) {
      // What is promised and not sent is done again before the page is mapped.
      const bool has_promises =
          !merged_.empty() && !merged_.of_page(table_.home_of(page), page).empty();
      if (!has_promises || WEFT_BUG(kKeepPromised)) vectors_.keep(page);
    });
    access_.drop(range);
    context_.counters.pages_invalidated += range.count;
  }
  updates_.send_all(diffs);
  fetcher_.ask_again(wanted);
}

void Copies::flush(PageIndex page) {
  const Page& entry = table_.at(page);
  if (!entry.mapped || entry.is_home() || WEFT_BUG(kAtomicWithoutFlush)) return;
  Bytes diff = updates_.make_diff(page);
  if (diff.empty()) return;
  writes_.note_here(page);
  const NodeId home = entry.home;
  updates_.send_diffs(home, {{page, std::move(diff)}}, false, true);
}

std::uint64_t Copies::commit(std::span<const PageRange> pages) {
  DiffsByHome diffs;
  std::uint64_t committed = 0;
  for (const PageRange& range : pages) {
    for_each_page(range, [&](PageIndex page) {
      const Page* entry = table_.find(page);
      if (entry == nullptr || !entry->mapped || entry->is_home()) return;
      Bytes diff = updates_.make_diff(page);
      if (diff.empty()) return;
      if (!WEFT_BUG(kCommitWithoutNotice)) writes_.note_here(page);
      diffs[entry->home].emplace_back(page, std::move(diff));
      ++committed;
    });
  }
  if (committed == 0) return 0;
  WEFT_PROBE(context_, kCommit);
  context_.counters.pages_committed += committed;
  updates_.send_all(diffs);
  return committed;
}

void Copies::discard(PageIndex page) {
  invalidate(PageSet{PageRange{page, 1}});
  // As its only writer this node would become its home, and it has no copy any more.
  if (writes_.has(page) && !WEFT_BUG(kDiscardAsOnlyWriter)) writes_.note_at_home(page);
}

// What is found written now is still to be compared when the interval closes.
PageSet Copies::written_so_far() {
  writes_.collected.insert(access_.collect_written());
  return writes_.all_here();
}

void Copies::evict(const PageSet& pages, const PageSet& written) {
  DiffsByHome diffs;
  for (const PageRange& range : pages.ranges()) {
    const PageSet unmapped = unmap_what_is_mapped(range);
    for_each_page(range, [&](PageIndex page) {
      table_.turn(table_.at(page), page, PageEvent::kEvicted);
      if (WEFT_BUG(kEvictWritten)) return;
      Bytes diff = unmapped.contains(page) ? updates_.make_diff(page) : Bytes();
      if (!diff.empty() || written.contains(page)) write_back(page, std::move(diff), diffs);
    });
    access_.drop(range);
    context_.counters.pages_evicted += range.count;
    WEFT_PROBE(context_, kEviction);
  }
  updates_.send_all(diffs);
}

void Copies::give_second_chance(const PageSet& pages) {
  DiffsByHome diffs;
  for (const PageRange& range : pages.ranges()) {
    access_.set_aside(range);
    context_.counters.second_chances += range.count;
    WEFT_PROBE(context_, kSecondChance);
    for_each_page(range, [&](PageIndex page) {
      // Written by another thread since the caller looked: it cannot be kept without being mapped.
      Bytes diff = updates_.make_diff(page);
      if (diff.empty() || WEFT_BUG(kSecondChanceOfWritten)) return;
      table_.turn(table_.at(page), page, PageEvent::kEvicted);
      write_back(page, std::move(diff), diffs);
      access_.drop(PageRange{page, 1});
      ++context_.counters.pages_evicted;
    });
  }
  updates_.send_all(diffs);
}

// The others are held back, or have their second chance: they hold nothing that is not at home.
PageSet Copies::unmap_what_is_mapped(PageRange pages) {
  PageSet mapped;
  for_each_page(pages, [&](PageIndex page) {
    if (table_.at(page).mapped) mapped.insert(page);
  });
  for (const PageRange& range : mapped.ranges()) access_.unmap(range);
  return mapped;
}

// Of an evicted page. This node has no copy any more, and must not become the home as the only
// writer.
void Copies::write_back(PageIndex page, Bytes diff, DiffsByHome& diffs) {
  writes_.wrote_back = true;
  WEFT_PROBE(context_, kWriteBack);
  if (!WEFT_BUG(kEvictAsOnlyWriter)) writes_.interval.at_home.insert(page);
  if (diff.empty()) return;
  writes_.interval.here.insert(page);
  diffs[table_.at(page).home].emplace_back(page, std::move(diff));
}

}  // namespace weft
