// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/search/sealed_pages.hpp"

namespace weft {
namespace {

constexpr std::uint64_t kLeastPages = 4;
constexpr std::uint64_t kOpenedPages = SealedPages::kStretchPages / 2;
// A process may have 65,530 mappings, and each range takes two.
constexpr std::size_t kMostRanges = 8192;

}  // namespace

bool SealedPages::contains(PageRange pages) const {
  const auto parts = sealed_.intersection(pages);
  return parts.size() == 1 && parts.front() == pages;
}

PageRange SealedPages::to_seal(PageRange pages,
                               const std::function<bool(PageIndex)>& is_absent) const {
  if (pages.count < kLeastPages || !opened_.intersection(pages).empty()) return {};
  if (!has_room()) return {};
  const std::uint64_t stretch = pages.end().value() + kStretchPages - 1;
  const PageIndex end(stretch / kStretchPages * kStretchPages);
  PageRange all = pages;
  while (all.end() < end && is_absent(all.end()) && !opened_.contains(all.end())) ++all.count;
  return all;
}

bool SealedPages::has_room() const { return sealed_.range_count() < kMostRanges; }

std::vector<PageRange> SealedPages::take(PageRange pages) {
  std::vector<PageRange> were_sealed = sealed_.intersection(pages);
  sealed_.erase(pages);
  return were_sealed;
}

std::vector<PageRange> SealedPages::open(PageRange pages) {
  if (sealed_.intersection(pages).empty()) return {};
  const std::uint64_t first = pages.first.value() / kOpenedPages * kOpenedPages;
  const std::uint64_t end = (pages.end().value() + kOpenedPages - 1) / kOpenedPages * kOpenedPages;
  const PageRange around{PageIndex(first), end - first};
  std::vector<PageRange> were_sealed = sealed_.intersection(around);
  for (const PageRange& range : were_sealed) {
    sealed_.erase(range);
    opened_.insert(range);
  }
  return were_sealed;
}

}  // namespace weft
