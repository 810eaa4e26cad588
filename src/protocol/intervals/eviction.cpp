// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Coherence does when memory is short (protocol.md, 12).
#include <utility>

#include "base/assert.hpp"
#include "protocol/interface/bugs.hpp"
#include "protocol/intervals/coherence.hpp"
#include "protocol/pages/page_runs.hpp"

namespace weft {

// What is found written now is still to be compared when the interval closes.
PageSet Coherence::written_so_far() {
  writes_.collected.insert(access_.collect_written());
  return writes_.all_here();
}

void Coherence::evict(const PageSet& pages, const PageSet& written) {
  DiffsByHome diffs;
  for (const PageRange& range : pages.ranges()) {
    const PageSet unmapped = unmap_what_is_mapped(range);
    for_each_page(range, [&](PageIndex page) {
      Page& entry = table_.at(page);
      WEFT_ASSERT(!entry.is_home() && entry.state != PageState::kInvalid,
                  "page {} in state {} is no copy", page.value(), static_cast<int>(entry.state));
      entry.state = PageState::kInvalid;
      if (WEFT_BUG(kEvictWritten)) return;
      Bytes diff = unmapped.contains(page) ? make_diff(page) : Bytes();
      if (!diff.empty() || written.contains(page)) write_back(page, std::move(diff), diffs);
    });
    access_.drop(range);
    context_.counters.pages_evicted += range.count;
    WEFT_PROBE(context_, kEviction);
  }
  send_all(diffs);
}

void Coherence::give_second_chance(const PageSet& pages) {
  DiffsByHome diffs;
  for (const PageRange& range : pages.ranges()) {
    access_.set_aside(range);
    context_.counters.second_chances += range.count;
    WEFT_PROBE(context_, kSecondChance);
    for_each_page(range, [&](PageIndex page) {
      // Written by another thread since the caller looked: it cannot be kept without being mapped.
      Bytes diff = make_diff(page);
      if (diff.empty() || WEFT_BUG(kSecondChanceOfWritten)) return;
      table_.at(page).state = PageState::kInvalid;
      write_back(page, std::move(diff), diffs);
      access_.drop(PageRange{page, 1});
      ++context_.counters.pages_evicted;
    });
  }
  send_all(diffs);
}

// The others are held back, or have their second chance: they hold nothing that is not at home.
PageSet Coherence::unmap_what_is_mapped(PageRange pages) {
  PageSet mapped;
  for_each_page(pages, [&](PageIndex page) {
    if (table_.at(page).mapped) mapped.insert(page);
  });
  for (const PageRange& range : mapped.ranges()) access_.unmap(range);
  return mapped;
}

// Of an evicted page. This node has no copy any more, and must not become the home as the only
// writer.
void Coherence::write_back(PageIndex page, Bytes diff, DiffsByHome& diffs) {
  writes_.wrote_back = true;
  WEFT_PROBE(context_, kWriteBack);
  if (!WEFT_BUG(kEvictAsOnlyWriter)) writes_.interval.at_home.insert(page);
  if (diff.empty()) return;
  writes_.interval.here.insert(page);
  diffs[table_.at(page).home].emplace_back(page, std::move(diff));
}

}  // namespace weft
