// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/pages/free_pages.hpp"

#include <algorithm>
#include <iterator>

#include "base/assert.hpp"

namespace weft::heap {
namespace {

std::uint64_t aligned_up(std::uint64_t page, std::uint64_t alignment, std::uint64_t phase) {
  return (page + phase + alignment - 1) / alignment * alignment - phase;
}

}  // namespace

FreePages::FreePages(std::uint64_t first, std::uint64_t end)
    : begin_(first), end_(end), high_water_(first) {}

std::optional<FreePages::Run> FreePages::take(std::uint64_t count, std::uint64_t alignment,
                                              std::uint64_t phase) {
  if (count > end_ - begin_) return std::nullopt;
  for (auto run = by_size_.lower_bound({count, 0}); run != by_size_.end(); ++run) {
    const auto [free_count, free_first] = *run;
    const std::uint64_t first = aligned_up(free_first, alignment, phase);
    if (first + count <= free_first + free_count) return take_at(first, count);
  }
  // A free run that ends at the mark counts as part of what is above it.
  std::uint64_t from = high_water_;
  if (!by_address_.empty()) {
    const auto& [first, free_count] = *by_address_.rbegin();
    if (first + free_count == high_water_) from = first;
  }
  const std::uint64_t first = aligned_up(from, alignment, phase);
  if (first > end_ || count > end_ - first) return std::nullopt;
  return raise(first, count);
}

std::optional<FreePages::Run> FreePages::take_at(std::uint64_t first, std::uint64_t count) {
  if (first >= high_water_) {
    if (first > high_water_ || count > end_ - first) return std::nullopt;
    return raise(first, count);
  }
  auto run = by_address_.upper_bound(first);
  if (run == by_address_.begin()) return std::nullopt;
  --run;
  const auto [free_first, free_count] = *run;
  const std::uint64_t free_end = free_first + free_count;
  if (first >= free_end) return std::nullopt;
  if (first + count > free_end) {
    if (free_end != high_water_ || count > end_ - first) return std::nullopt;
    return raise(first, count);
  }
  erase(free_first, free_count);
  if (first > free_first) insert(free_first, first - free_first);
  if (first + count < free_end) insert(first + count, free_end - first - count);
  in_use_ += count;
  return Run{first, count, first + count};
}

FreePages::Run FreePages::raise(std::uint64_t first, std::uint64_t count) {
  const std::uint64_t old_mark = high_water_;
  high_water_ = first + count;
  std::uint64_t free_first = old_mark;
  if (!by_address_.empty()) {
    const auto [last_first, last_count] = *by_address_.rbegin();
    if (last_first + last_count == old_mark && last_count > 0) {
      free_first = last_first;
      erase(last_first, last_count);
    }
  }
  if (free_first < first) insert(free_first, first - free_first);
  in_use_ += count;
  return Run{first, count, std::max(old_mark, first)};
}

void FreePages::give(std::uint64_t first, std::uint64_t count) {
  WEFT_ASSERT(first >= begin_ && first + count <= high_water_ && count > 0 && in_use_ >= count,
              "pages {} + {} were never handed out", first, count);
  in_use_ -= count;
  auto next = by_address_.lower_bound(first);
  if (next != by_address_.end() && next->first == first + count) {
    const std::uint64_t next_count = next->second;
    erase(first + count, next_count);
    count += next_count;
    next = by_address_.lower_bound(first);
  }
  if (next != by_address_.begin()) {
    const auto [before_first, before_count] = *std::prev(next);
    WEFT_ASSERT(before_first + before_count <= first, "page {} is free already", first);
    if (before_first + before_count == first) {
      erase(before_first, before_count);
      first = before_first;
      count += before_count;
    }
  }
  insert(first, count);
}

void FreePages::insert(std::uint64_t first, std::uint64_t count) {
  by_address_.emplace(first, count);
  by_size_.emplace(count, first);
}

void FreePages::erase(std::uint64_t first, std::uint64_t count) {
  by_address_.erase(first);
  by_size_.erase({count, first});
}

}  // namespace weft::heap
