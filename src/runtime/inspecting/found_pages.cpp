// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/inspecting/found_pages.hpp"

#include <algorithm>
#include <numeric>

namespace weft {
namespace {

constexpr std::uintptr_t page_behind(std::uintptr_t end) {
  return (end + kPageBytes - 1) / kPageBytes * kPageBytes;
}

std::uint64_t pages_in(const std::vector<AddressRange>& ranges) {
  return std::accumulate(ranges.begin(), ranges.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const AddressRange& each) {
                           return sum + (each.end - each.first) / kPageBytes;
                         });
}

}  // namespace

std::vector<AddressRange> joined(std::vector<AddressRange> ranges, std::uint64_t gap) {
  constexpr std::uintptr_t kLastAddress = std::uintptr_t{1} << 47;
  std::erase_if(ranges, [](const AddressRange& each) {
    return each.end > kLastAddress || each.first >= each.end;
  });
  std::ranges::sort(ranges, {}, &AddressRange::first);
  std::vector<AddressRange> all;
  for (const AddressRange& each : ranges) {
    if (!all.empty() && each.first <= all.back().end + gap) {
      all.back().end = std::max(all.back().end, each.end);
    } else {
      all.push_back(each);
    }
  }
  return all;
}

std::vector<AddressRange> pages_of(std::vector<AddressRange> ranges) {
  for (AddressRange& each : ranges) {
    each = {each.first / kPageBytes * kPageBytes, page_behind(each.end)};
  }
  return joined(std::move(ranges), 0);
}

bool FoundPages::note(std::uintptr_t first, std::uintptr_t end) {
  if (!is_wanted_(first, end)) return true;
  if (!ranges_.empty() && first <= ranges_.back().end && first >= ranges_.back().first) {
    ranges_.back().end = std::max(ranges_.back().end, page_behind(end));
    return true;
  }
  if (ranges_.size() == tidy_at_) {
    ranges_ = pages_of(std::move(ranges_));
    if (pages_in(ranges_) >= most_) return false;
    tidy_at_ = std::max(tidy_at_, 2 * ranges_.size());
  }
  ranges_.push_back({first, page_behind(end)});
  return true;
}

}  // namespace weft
