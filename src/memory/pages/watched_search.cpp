// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WatchedMemory's search for pages that were written, where the kernel notes writes by itself:
// where it looks, and what it does not look at any more.
#include <span>

#include "memory/pages/watched_memory.hpp"

namespace weft {
namespace {

// To look at so many pages takes the kernel as long as to be asked once more.
constexpr std::uint64_t kGapPages = 256;

// From the first to the last of these ranges, which ascend; empty if there are none.
PageRange hull_of(std::span<const PageRange> ranges) {
  if (ranges.empty()) return {};
  const PageIndex first = ranges.front().first;
  return {first, ranges.back().end().value() - first.value()};
}

}  // namespace

void WatchedMemory::collect_written(PageRange pages, PageSet& written) {
  ++access_losses_;
  if (!traps()) add_written(take_written(pages), written);
  add_known(pages, written);
}

void WatchedMemory::collect_at_rest(std::span<const PageRange> stretches, PhaseKey phase,
                                    PageSet& written) {
  ++access_losses_;
  expected_.clear();
  if (!traps()) add_written(search_at_rest(stretches, phase), written);
  for (const PageRange& stretch : stretches) add_known(stretch, written);
}

void WatchedMemory::add_written(const PageSet& found, PageSet& written) {
  note_written(found);
  written.insert(found);
  if (open_.empty()) return;
  for (const PageRange& range : found.ranges()) open_.erase(range);
}

void WatchedMemory::add_known(PageRange pages, PageSet& written) {
  for (const PageRange& range : written_.intersection(pages)) {
    written.insert(range);
    if (!traps()) continue;
    table_.for_each_run(range, [&](PageRange run, Access access) {
      if (access == Access::kTracked) require(watcher_->start_tracking(run));
    });
    open_.erase(range);
  }
  written_.erase(pages);
}

std::vector<PageRange> WatchedMemory::searched_runs(PageRange pages) const {
  std::vector<PageRange> runs;
  for (const PageRange& part : sealed_.outside(pages)) {
    table_.for_each_run(part, [&](PageRange run, Access access) {
      if (access == Access::kTracked) runs.push_back(run);
    });
  }
  return runs;
}

PageSet WatchedMemory::take_written(PageRange pages) {
  PageSet taken;
  const std::vector<PageRange> runs = searched_runs(pages);
  for (const PageRange& run : runs) counters_.pages_searched += run.count;
  for (auto first = runs.begin(); first != runs.end();) {
    auto last = first;
    while (last + 1 != runs.end() && last[1].first.value() - last->end().value() <= kGapPages) {
      ++last;
    }
    take_written(std::span(first, last + 1), taken);
    first = last + 1;
  }
  return taken;
}

// A program mostly writes where it is expected to, and nowhere else: then all is found there, and
// the rest need not be searched.
PageSet WatchedMemory::search_at_rest(std::span<const PageRange> stretches, PhaseKey phase) {
  PageSet found;
  const std::uint64_t most = search_need_.begin();
  if (most == 0) {
    quiet_.note_complete();
    return found;
  }
  if (most != SearchNeed::kEverything) {
    const PageSet expected = write_places_.expected(phase);
    for (const PageRange& range : expected.ranges()) found.insert(take_written(range));
  }
  if (found.page_count() < most) {
    for (const PageRange& stretch : stretches) found.insert(take_written(stretch));
  } else {
    quiet_.note_complete();
  }
  if (!found.empty()) write_places_.note(phase, found);
  return found;
}

// One look at ranges that lie close together; what it finds is then taken from those where there is
// something.
void WatchedMemory::take_written(std::span<const PageRange> runs, PageSet& taken) {
  PageSet seen;
  const bool looks_first = runs.size() > 1;
  if (looks_first) require(watcher_->find_written(hull_of(runs), seen));
  for (const PageRange& run : runs) {
    const PageRange there = looks_first ? hull_of(seen.intersection(run)) : run;
    if (there.count > 0) require(watcher_->collect_written(there, taken));
  }
  seal_quiet(hull_of(runs), taken);
}

// With the pages between: to search a thousand short runs takes longer than one long one, and a
// node that writes what only it has opens the seal once.
void WatchedMemory::seal_quiet(PageRange searched, PageSet& written) {
  if (!watcher_->traits().seals || searched.count < SealedPages::kStretchPages) return;
  for (const PageRange& quiet : quiet_.note(searched, written)) {
    if (!sealed_.has_room()) continue;
    require(watcher_->seal(quiet));
    sealed_.seal(quiet);
    PageSet since;  // it was searched
    table_.for_each_run(quiet, [&](PageRange run, Access access) {
      if (access == Access::kTracked) require(watcher_->collect_written(run, since));
    });
    if (!since.empty()) open_sealed(quiet);
    written.insert(since);
  }
}

}  // namespace weft
