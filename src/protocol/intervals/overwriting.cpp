// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/intervals/overwriting.hpp"

#include "protocol/interface/bugs.hpp"

namespace weft {

// Other release and lock policies keep books of who has which copy. And what is promised to a home
// (16) is done on the page before it is mapped, which would be lost here.
void Overwriting::begin(PageRange pages) {
  const EngineConfig& config = context_.config;
  if (config.release_policy != ReleasePolicy::kLazy || config.lock_policy != LockPolicy::kWeft ||
      !merged_.empty())
    return;
  PageRange run{pages.first, 0};
  std::optional<Way> way;
  const auto end_run = [&] {
    if (way && run.count > 0) map(run, *way);
  };
  for_each_page(pages, [&](PageIndex page) {
    const std::optional<Way> next = way_of(page);
    if (next != way) {
      end_run();
      run = {page, 0};
      way = next;
    }
    ++run.count;
  });
  end_run();
}

std::optional<Overwriting::Way> Overwriting::way_of(PageIndex page) {
  const Page& entry = table_.at(page);
  switch (entry.state) {
    case PageState::kExclusive:
      if (entry.mapped) return {};
      return Way{.tracked = false};
    case PageState::kShared:
      // Of some of these diffs are made, too.
      if (access_.wants_home_twin(page)) return {};
      return Way{.twin = Twin::kNone};
    case PageState::kPristine:
      if (entry.mapped) return {};
      return Way{.twin = Twin::kInitial};
    case PageState::kValid:
      if (!entry.mapped) return {};
      return Way{.twin = Twin::kUnlike};
    case PageState::kInvalid:
      if (!may_become_copy(entry, page)) return {};
      return Way{.twin = Twin::kUnlike};
  }
  return {};
}

bool Overwriting::may_become_copy(const Page& entry, PageIndex page) const {
  const bool is_under_way = entry.request != 0 && !WEFT_BUG(kOverwriteUnderWay);
  return entry.has_known_home() && !is_under_way && !entry.wanted && !pusher_.is_coming(page);
}

void Overwriting::map(PageRange pages, const Way& way) {
  if (!way.tracked) return access_.map_untracked(pages);
  if (way.twin == Twin::kInitial) {
    context_.counters.first_touches += pages.count;
    fetcher_.copies().add(pages, 0);
  }
  const bool are_copies = way.twin == Twin::kUnlike;
  if (are_copies) become_copies(pages);
  access_.map_written(pages,
                      are_copies && WEFT_BUG(kOverwriteAsPristine) ? Twin::kInitial : way.twin);
}

// Those of earlier writers may still be on their way to the home. The next update to it, which has
// these pages, is to come after them.
void Overwriting::become_copies(PageRange pages) {
  PageRuns absent;
  for_each_page(pages, [&](PageIndex page) {
    Page& entry = table_.at(page);
    if (entry.state != PageState::kInvalid) return;
    table_.turn(entry, page, PageEvent::kOverwritten);
    entry.lent = false;
    entry.owed = false;
    if (!WEFT_BUG(kOverwriteUnordered)) streams_.note_bypass(entry.home);
    absent.add(page);
  });
  context_.counters.pages_overwritten += pages.count;
  WEFT_PROBE(context_, kOverwrite);
  for (const PageRange& range : absent) fetcher_.adopt(range);
}

}  // namespace weft
