// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop is about to use (protocol/fetching.md, 28).
#include <vector>

#include "protocol/fetching/fetcher.hpp"
#include "protocol/interface/bugs.hpp"

namespace weft {

std::uint64_t Fetcher::prefetch(PageRange pages) {
  ++context_.counters.prefetches;
  std::vector<PageIndex> absent;
  std::uint64_t faults_saved = 0;
  PageRange here{pages.first, 0};  // at their home, in one state, and not mapped
  PageState state = PageState::kShared;
  const auto map_here = [&] {
    if (WEFT_BUG(kPrefetchUntracked)) state = PageState::kExclusive;
    if (here.count > 0) map_what_is_here(here, state);
    faults_saved += here.count;
    here.count = 0;
  };
  for_each_page(pages, [&](PageIndex page) {
    const Page* known = table_.find(page);
    if (known == nullptr && table_.state_of(page) != PageState::kInvalid) return;
    const Page& entry = table_.at(page);
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
  });
  map_here();
  faults_saved += absent.size();
  ask_for(absent, /*descending=*/false);
  if (faults_saved == 0) return 0;
  WEFT_PROBE(context_, kPrefetch);
  ++context_.counters.prefetches_useful;
  context_.counters.pages_prefetched += faults_saved;
  return faults_saved;
}

}  // namespace weft
