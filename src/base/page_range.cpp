// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/page_range.hpp"

#include <algorithm>
#include <iterator>

namespace weft {

PageSet::PageSet(std::initializer_list<PageRange> ranges) {
  for (const PageRange& range : ranges) insert(range);
}

void PageSet::insert(PageRange range) {
  if (range.count == 0) return;
  std::uint64_t first = range.first.value();
  std::uint64_t end = range.end().value();
  auto next = ends_.upper_bound(first);
  if (next != ends_.begin() && std::prev(next)->second >= first) {
    // Most sets grow at the end of a range: that takes no new node.
    const auto before = std::prev(next);
    if (next == ends_.end() || next->first > end) {
      before->second = std::max(before->second, end);
      return;
    }
    next = before;
  }
  while (next != ends_.end() && next->first <= end) {
    first = std::min(first, next->first);
    end = std::max(end, next->second);
    next = ends_.erase(next);
  }
  ends_.emplace_hint(next, first, end);
}

void PageSet::insert(const PageSet& other) {
  for (const auto& [first, end] : other.ends_) insert(PageRange{PageIndex(first), end - first});
}

void PageSet::erase(PageRange range) {
  if (range.count == 0) return;
  const std::uint64_t first = range.first.value();
  const std::uint64_t end = range.end().value();
  auto next = ends_.upper_bound(first);
  if (next != ends_.begin() && std::prev(next)->second > first) --next;
  while (next != ends_.end() && next->first < end) {
    const std::uint64_t old_end = next->second;
    if (next->first < first) {
      next->second = first;
      ++next;
      if (old_end > end) next = ends_.emplace_hint(next, end, old_end);
    } else if (old_end > end) {
      // Many sets shrink from the beginning of a range: that takes no new node either.
      auto node = ends_.extract(next++);
      node.key() = end;
      next = ends_.insert(next, std::move(node));
    } else {
      next = ends_.erase(next);
    }
  }
}

bool PageSet::contains(PageIndex page) const {
  const auto next = ends_.upper_bound(page.value());
  return next != ends_.begin() && std::prev(next)->second > page.value();
}

std::optional<PageIndex> PageSet::end_before(PageIndex page) const {
  const auto next = ends_.lower_bound(page.value());
  if (next == ends_.begin()) return std::nullopt;
  return PageIndex(std::prev(next)->second);
}

std::optional<PageIndex> PageSet::first_from(PageIndex page) const {
  const auto next = ends_.lower_bound(page.value());
  if (next == ends_.end()) return std::nullopt;
  return PageIndex(next->first);
}

std::uint64_t PageSet::page_count() const {
  std::uint64_t count = 0;
  for (const auto& [first, end] : ends_) count += end - first;
  return count;
}

std::vector<PageRange> PageSet::ranges() const {
  std::vector<PageRange> result;
  result.reserve(ends_.size());
  for (const auto& [first, end] : ends_) {
    result.push_back(PageRange{PageIndex(first), end - first});
  }
  return result;
}

std::vector<PageRange> PageSet::intersection(PageRange range) const {
  std::vector<PageRange> result;
  auto next = ends_.upper_bound(range.first.value());
  if (next != ends_.begin()) --next;
  for (; next != ends_.end() && next->first < range.end().value(); ++next) {
    const std::uint64_t first = std::max(next->first, range.first.value());
    const std::uint64_t end = std::min(next->second, range.end().value());
    if (first < end) result.push_back(PageRange{PageIndex(first), end - first});
  }
  return result;
}

std::vector<PageRange> PageSet::outside(PageRange range) const {
  std::vector<PageRange> parts;
  PageIndex at = range.first;
  for (const PageRange& inside : intersection(range)) {
    if (at < inside.first) parts.push_back({at, inside.first.value() - at.value()});
    at = inside.end();
  }
  if (at < range.end()) parts.push_back({at, range.end().value() - at.value()});
  return parts;
}

}  // namespace weft
