// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WatchedMemory's open pages: tracked, and writable at once, as they are about to be written.
#include "memory/pages/watched_memory.hpp"

namespace weft {
namespace {

// To take fewer away and map them anew takes longer than their faults.
constexpr std::uint64_t kFewestReopened = 8;

}  // namespace

void WatchedMemory::map_written(PageRange pages, Twin twin) {
  WEFT_ASSERT(twin != Twin::kPresent, "whoever writes {} pages may have begun", pages.count);
  prepare_to_open(pages);
  for (const PageRange& closed : open_.outside(pages)) {
    map_open(closed);
    set_twins(closed, twin);
    note_open(closed);
  }
}

void WatchedMemory::prepare_to_open(PageRange pages) {
  make_room(2 * pages.count);
  dropped_.erase(pages);
  unmap_lingering(pages);
  unseal(pages);
}

// The kernel does not open what is mapped and protected, other than by a fault for each page: so it
// is taken away and mapped anew.
void WatchedMemory::map_open(PageRange pages) {
  table_.for_each_run(pages, [this](PageRange run, Access access) {
    PageSet known;  // it will be written anyhow
    if (access != Access::kAbsent) require(watcher_->unmap(run, known));
    require(watcher_->map_untracked(run));
  });
}

void WatchedMemory::note_open(PageRange pages) {
  // The others ask the kernel, which has not been told to watch, and counts no fault.
  if (traps()) written_.insert(pages);
  search_need_.forget();
  set_access(pages, Access::kTracked);
  open_.insert(pages);
}

std::uint64_t WatchedMemory::expect_writes(PageRange pages) {
  std::uint64_t count = 0;
  table_.for_each_run(pages, [&](PageRange run, Access access) {
    if (access == Access::kUntracked) count += open_closed(run);
    if (access != Access::kTracked) return expected_.insert(run);
    for (const PageRange& closed : open_.outside(run)) {
      if (closed.count < kFewestReopened) continue;
      reopen(closed);
      count += closed.count;
    }
  });
  return count;
}

// Whatever becomes of them: they are not watched.
std::uint64_t WatchedMemory::open_closed(PageRange untracked) {
  std::uint64_t count = 0;
  for (PageIndex at = untracked.first; at < untracked.end(); ++at) {
    const PageIndex first = at;
    while (at < untracked.end() && table_[at].is_closed()) ++at;
    const PageRange closed{first, at.value() - first.value()};
    if (closed.count < kFewestReopened) continue;
    map_open(closed);
    set_access(closed, Access::kUntracked);
    count += closed.count;
  }
  return count;
}

WatchedMemory::Expected WatchedMemory::take_expected(PageRange pages) {
  Expected expected{expected_.intersection(pages), expected_.outside(pages)};
  expected_.erase(pages);
  return expected;
}

void WatchedMemory::reopen(PageRange pages) {
  open_sealed(pages);
  open_with_twins(pages);
}

// Of absent pages.
void WatchedMemory::map_expected(PageRange pages, Twin twin) {
  prepare_to_open(pages);
  set_twins(pages, twin);
  open_with_twins(pages);
}

// Twins first: from then on anybody may write.
void WatchedMemory::open_with_twins(PageRange pages) {
  for (PageIndex page = pages.first; page < pages.end(); ++page) hold_same_twin(page);
  map_open(pages);
  note_open(pages);
}

}  // namespace weft
