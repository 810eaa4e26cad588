// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/pages/remembered_homes.hpp"

#include <algorithm>
#include <iterator>

namespace weft {
namespace {

PageRange between(PageIndex first, PageIndex end) {
  return {first, first < end ? end.value() - first.value() : 0};
}

}  // namespace

std::vector<HomeRun>::const_iterator RememberedHomes::ending_after(PageIndex page) const {
  return std::ranges::upper_bound(runs_, page, {},
                                  [](const HomeRun& run) { return run.pages.end(); });
}

void RememberedHomes::set(PageRange pages, const HomeFacts& facts) {
  if (pages.count == 0 || limit_ == 0) return;
  forget(pages);
  const auto index =
      static_cast<std::size_t>(std::distance(runs_.cbegin(), ending_after(pages.first)));
  make_room();
  runs_.insert(runs_.begin() + static_cast<std::ptrdiff_t>(index), {pages, facts});
  join_with_next(index);
  if (index > 0) join_with_next(index - 1);
  keep_within_limit();
}

// For one more, which may be beyond the limit for a moment.
void RememberedHomes::make_room() {
  if (runs_.size() == runs_.capacity()) runs_.reserve(std::min(2 * runs_.size() + 8, limit_ + 1));
}

void RememberedHomes::keep_within_limit() {
  if (runs_.size() <= limit_) return;
  runs_.erase(
      std::ranges::min_element(runs_, {}, [](const HomeRun& run) { return run.pages.count; }));
}

void RememberedHomes::join_with_next(std::size_t index) {
  if (index + 1 >= runs_.size()) return;
  HomeRun& run = runs_[index];
  const HomeRun& next = runs_[index + 1];
  if (run.pages.end() != next.pages.first || run.facts != next.facts) return;
  run.pages.count += next.pages.count;
  runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(index + 1));
}

void RememberedHomes::forget(PageRange pages) {
  make_room();
  const auto first = std::distance(runs_.cbegin(), ending_after(pages.first));
  auto place = runs_.begin() + first;
  std::vector<HomeRun> rests;
  while (place != runs_.end() && place->pages.first < pages.end()) {
    const PageRange before = between(place->pages.first, pages.first);
    const PageRange after = between(pages.end(), place->pages.end());
    if (before.count > 0) rests.push_back({before, place->facts});
    if (after.count > 0) rests.push_back({after, place->facts});
    place = runs_.erase(place);
  }
  runs_.insert(place, rests.begin(), rests.end());
  keep_within_limit();
}

std::optional<HomeFacts> RememberedHomes::find(PageIndex page) const {
  const auto place = ending_after(page);
  if (place == runs_.end() || !place->pages.contains(page)) return std::nullopt;
  return place->facts;
}

std::vector<HomeRun> RememberedHomes::within(PageRange pages) const {
  std::vector<HomeRun> found;
  for (auto place = ending_after(pages.first);
       place != runs_.end() && place->pages.first < pages.end(); ++place) {
    const PageIndex first = std::max(place->pages.first, pages.first);
    found.push_back({between(first, std::min(place->pages.end(), pages.end())), place->facts});
  }
  return found;
}

}  // namespace weft
