// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/fetching/walks.hpp"

#include <algorithm>
#include <cstdlib>

namespace weft {
namespace {

// Faults further apart are not taken for steps of one walk.
constexpr std::int64_t kLongestStride = 256;

}  // namespace

std::uint64_t Walks::Walk::left_from(std::int64_t page) const {
  const std::int64_t distance = (next - page) * (stride > 0 ? 1 : -1);
  const std::int64_t step = std::abs(stride);
  if (window == 0 || distance <= 0 || distance % step != 0) return 0;
  const auto left = static_cast<std::uint64_t>(distance / step);
  return left <= window && (page - at) * stride > 0 ? left : 0;
}

PagesAhead Walks::touched(PageIndex touched_page) {
  const auto page = static_cast<std::int64_t>(touched_page.value());
  for (Walk& walk : walks_) {
    if (walk.window > 0 && walk.next == page) return go_on(walk);
  }
  for (Walk& walk : walks_) {
    // One that could not be had when the others were asked for.
    const std::uint64_t left = walk.left_from(page);
    if (left == 0) continue;
    walk.at = page;
    walk.used = ++uses_;
    return {touched_page, walk.stride, left};
  }
  if (Walk* const walk = find_beginning(page)) {
    walk->stride = page - walk->at;
    return give(*walk, page, walk->stride == -1 ? std::min(limit_, 2U) : 1);
  }
  Walk& walk = least_recently_used();
  walk.stride = 1;
  return give(walk, page, 1);
}

std::optional<PagesAhead> Walks::reached(PageIndex reached_page) {
  const auto page = static_cast<std::int64_t>(reached_page.value());
  for (Walk& walk : walks_) {
    const std::uint64_t left = walk.left_from(page);
    if (left == 0) continue;
    walk.at = page;
    walk.used = ++uses_;
    if (walk.window < 2 || left > walk.window / 2) return std::nullopt;
    if (walk.next < 0 || walk.next >= static_cast<std::int64_t>(page_count_)) return std::nullopt;
    const std::int64_t seen = walk.at;
    const PagesAhead ahead = go_on(walk);
    walk.at = seen;
    return ahead;
  }
  return std::nullopt;
}

PagesAhead Walks::go_on(Walk& walk) {
  return give(walk, walk.next, std::min<std::uint64_t>(walk.window * 2, limit_));
}

PagesAhead Walks::give(Walk& walk, std::int64_t page, std::uint64_t count) {
  const auto room = static_cast<std::uint64_t>(
      walk.stride > 0 ? static_cast<std::int64_t>(page_count_) - 1 - page : page);
  count = std::min(count, room / static_cast<std::uint64_t>(std::abs(walk.stride)) + 1);
  walk.at = page;
  walk.next = page + walk.stride * static_cast<std::int64_t>(count);
  walk.window = count;
  walk.used = ++uses_;
  return {PageIndex(static_cast<std::uint64_t>(page)), walk.stride, count};
}

// The nearest fault that may be the step before this one.
Walks::Walk* Walks::find_beginning(std::int64_t page) {
  Walk* nearest = nullptr;
  for (Walk& walk : walks_) {
    const std::int64_t distance = std::abs(page - walk.at);
    if (walk.window != 1 || distance == 0 || distance > kLongestStride) continue;
    if (nearest == nullptr || distance < std::abs(page - nearest->at)) nearest = &walk;
  }
  return nearest;
}

Walks::Walk& Walks::least_recently_used() {
  return *std::ranges::min_element(walks_, {}, &Walk::used);
}

}  // namespace weft
