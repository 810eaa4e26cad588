// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/fetching/copy_queue.hpp"

#include <algorithm>

#include "protocol/pages/page_runs.hpp"

namespace weft {

void CopyQueue::List::append(PageRange more, std::uint32_t request) {
  pages += more.count;
  if (!arrivals.empty() && arrivals.back().request == request &&
      arrivals.back().pages.end() == more.first) {
    arrivals.back().pages.count += more.count;
  } else {
    arrivals.push_back({more, request});
  }
}

void CopyQueue::List::prepend(const List& other) {
  arrivals.insert(arrivals.begin(), other.arrivals.begin(), other.arrivals.end());
  pages += other.pages;
}

CopyQueue::Arrival CopyQueue::List::take_first() {
  Arrival& first = arrivals.front();
  const Arrival taken = {{first.pages.first, 1}, first.request};
  first.pages = {first.pages.first.plus(1), first.pages.count - 1};
  if (first.pages.count == 0) arrivals.pop_front();
  --pages;
  return taken;
}

void CopyQueue::add(PageRange pages, std::uint32_t request) {
  mapped_.append(pages, request);
  if (mapped_.arrivals.size() > most_arrivals_) forget_what_went();
}

bool CopyQueue::is_mapped_still(PageIndex page, std::uint32_t request) const {
  const Page* entry = table_.find(page);
  const PageState state = request == 0 ? PageState::kPristine : PageState::kValid;
  return entry->mapped && entry->state == state && entry->fetched == request;
}

bool CopyQueue::is_unmapped_still(PageIndex page, std::uint32_t request) const {
  const Page* entry = table_.find(page);
  return entry->is_held_back() && entry->fetched == request;
}

// What is left has a page each that is named nowhere else, so that this stays in proportion to what
// is here, however often it came and went.
void CopyQueue::forget_what_went() {
  constexpr std::size_t kLeast = 4096;
  std::erase_if(mapped_.arrivals, [this](const Arrival& each) {
    bool any = false;
    for_each_page(each.pages,
                  [&](PageIndex page) { any = any || is_mapped_still(page, each.request); });
    if (!any) mapped_.pages -= each.pages.count;
    return !any;
  });
  most_arrivals_ = std::max(kLeast, 2 * mapped_.arrivals.size());
}

// Visits a list's pages from the first on while `more` says so. Those that `is_still` does not know
// are forgotten, those that are to stay keep their places.
template <typename More, typename IsStill, typename Stays, typename Visit>
void CopyQueue::take_from(List& list, More more, IsStill is_still, Stays stays, Visit visit) {
  List stay;
  while (more()) {
    const auto [pages, request] = list.take_first();
    if (!is_still(pages.first, request)) continue;
    if (stays(pages.first, request)) {
      stay.append(pages, request);
    } else {
      visit(pages, request);
    }
  }
  list.prepend(stay);
}

PageSet CopyQueue::take(std::uint64_t count, std::uint64_t kept, const PageSet& spared) {
  PageSet taken;
  const auto stays = [&](PageIndex page, std::uint32_t) { return spared.contains(page); };
  const auto visit = [&](PageRange page, std::uint32_t) {
    taken.insert(page);
    --count;
  };
  take_from(
      unmapped_, [&] { return count > 0 && unmapped_.pages > 0; },
      [&](PageIndex page, std::uint32_t request) { return is_unmapped_still(page, request); },
      stays, visit);
  take_from(
      mapped_, [&] { return count > 0 && mapped_.pages > kept; },
      [&](PageIndex page, std::uint32_t request) { return is_mapped_still(page, request); }, stays,
      visit);
  return taken;
}

// Half as many as stay mapped. Fewer would have little time to be touched in; more would be faults
// for nothing. Initial contents have none: unmapped, they are not told from what was never here.
PageSet CopyQueue::test(std::uint64_t kept, const PageSet& spared) {
  PageSet tested;
  take_from(
      mapped_, [&] { return mapped_.pages > kept && 2 * unmapped_.pages < mapped_.pages; },
      [&](PageIndex page, std::uint32_t request) { return is_mapped_still(page, request); },
      [&](PageIndex page, std::uint32_t request) { return request == 0 || spared.contains(page); },
      [&](PageRange page, std::uint32_t request) {
        unmapped_.append(page, request);
        tested.insert(page);
      });
  return tested;
}

}  // namespace weft
