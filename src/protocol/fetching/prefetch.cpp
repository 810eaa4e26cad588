// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop is about to use (protocol/fetching.md, 28).
#include <vector>

#include "protocol/fetching/fetcher.hpp"
#include "protocol/interface/bugs.hpp"

namespace weft {

// By its first notice, as if a diff had shown that it replaces the page (protocol/homes.md, 7).
void Fetcher::note_owned(std::span<const PageRange> pages) {
  for (const PageRange& range : pages) {
    for_each_page(range, [&](PageIndex page) {
      if (table_.state_of(page) == PageState::kInvalid) table_.at(page).note_replaced(1);
    });
  }
}

// With an entry, as after a miss: without one, or without a known home, a copy that comes is
// refused (LockPages::may_install), since it could not be told of later writes.
void Fetcher::expect_with(LockId lock, std::span<const PageRange> pages) {
  PageSet absent;
  for (const PageRange& range : pages) {
    for_each_page(range, [&](PageIndex page) {
      if (table_.state_of(page) != PageState::kInvalid) return;
      if (table_.at(page).has_known_home()) absent.insert(page);
    });
  }
  lock_needs_.expect(lock, absent);
}

std::uint64_t Fetcher::prefetch(std::span<const PageRange> pages, MemoryUse use) {
  if (use == MemoryUse::kOwns) {
    note_owned(pages);
    return 0;
  }
  ++context_.counters.prefetches;
  const bool stores = use != MemoryUse::kLoads;
  std::vector<PageIndex> absent;
  std::uint64_t faults_saved = 0;
  PageRange here;  // at their home, in one state, and not mapped
  PageState state = PageState::kShared;
  const auto map_here = [&] {
    if (WEFT_BUG(kPrefetchUntracked)) state = PageState::kExclusive;
    if (here.count > 0) map_what_is_here(here, state);
    faults_saved += here.count;
    here.count = 0;
  };
  const auto visit = [&](PageIndex page) {
    const Page* known = table_.find(page);
    if (known == nullptr && table_.state_of(page) != PageState::kInvalid) return;
    Page& entry = table_.at(page);
    if (use == MemoryUse::kReplaces) entry.note_replaced(context_.config.replaced_notices);
    if (entry.is_home() && !entry.mapped) {
      if (here.end() != page || state != entry.state) map_here();
      if (here.count == 0) here.first = page;
      state = entry.state;
      ++here.count;
    } else if (entry.is_held_back()) {
      map_held_back(page);
      ++faults_saved;
    } else if (entry.state == PageState::kInvalid && entry.request == 0 &&
               !pusher_.is_coming(page)) {
      absent.push_back(page);
    }
  };
  for (const PageRange& range : pages) {
    if (stores) faults_saved += context_.memory.expect_writes(range);
    for_each_page(range, visit);
    map_here();
  }
  faults_saved += absent.size();
  ask_for(absent, {.each_time = true});
  if (faults_saved == 0) return 0;
  WEFT_PROBE(context_, kPrefetch);
  ++context_.counters.prefetches_useful;
  context_.counters.pages_prefetched += faults_saved;
  return faults_saved;
}

}  // namespace weft
