// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "maps/map_space.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"

namespace weft::maps {

MapSpace::MapSpace(AddressRange share) : share_(share), runs_(0, share.pages()) {}

PageRange MapSpace::pages_of(AddressRange range) const {
  WEFT_ASSERT(range.begin >= share_.begin && range.end <= share_.end && range.begin < range.end,
              "{:#x} to {:#x} is outside the share", range.begin, range.end);
  return {PageIndex((range.begin - share_.begin) / kPageBytes), range.pages()};
}

std::optional<AddressRange> MapSpace::take(std::size_t bytes, std::size_t alignment,
                                           std::uint32_t epoch) {
  end_rest(epoch);
  const std::uint64_t page_alignment = std::max<std::uint64_t>(alignment / kPageBytes, 1);
  const auto run = runs_.take(bytes / kPageBytes, page_alignment, share_.begin / kPageBytes);
  if (!run) return std::nullopt;
  mapped_.insert(PageRange{PageIndex(run->first), run->count});
  const std::uintptr_t begin = share_.begin + run->first * kPageBytes;
  return AddressRange{begin, begin + bytes};
}

void MapSpace::claim(AddressRange range) {
  const PageRange pages = pages_of(range);
  PageSet still_free;
  for (const PageRange& piece : mapped_.outside(pages)) still_free.insert(piece);
  wake(pages, still_free);
  for (const PageRange& piece : still_free.ranges()) take_exactly(piece);
  mapped_.insert(pages);
}

bool MapSpace::extend(AddressRange range) {
  if (range.end > share_.end) return false;
  const PageRange pages = pages_of(range);
  if (!mapped_.intersection(pages).empty()) return false;
  const auto overlaps = [&](const Resting& resting) {
    return resting.pages.first < pages.end() && pages.first < resting.pages.end();
  };
  if (std::any_of(resting_.begin(), resting_.end(), overlaps)) return false;
  take_exactly(pages);
  mapped_.insert(pages);
  return true;
}

void MapSpace::release(AddressRange range, std::optional<std::uint32_t> epoch) {
  for (const PageRange& piece : mapped_.intersection(pages_of(range))) {
    mapped_.erase(piece);
    if (epoch) {
      resting_.push_back({piece, *epoch});
    } else {
      runs_.give(piece.first.value(), piece.count);
    }
  }
}

bool MapSpace::is_mapped(AddressRange range) const {
  return mapped_.outside(pages_of(range)).empty();
}

void MapSpace::end_rest(std::uint32_t epoch) {
  const auto rests_on = [epoch](const Resting& resting) { return resting.epoch >= epoch; };
  const auto ended = std::partition(resting_.begin(), resting_.end(), rests_on);
  for (auto each = ended; each != resting_.end(); ++each) {
    runs_.give(each->pages.first.value(), each->pages.count);
  }
  resting_.erase(ended, resting_.end());
}

// These pages rest no more; those that did are not free either.
void MapSpace::wake(PageRange pages, PageSet& still_free) {
  std::deque<Resting> rest;
  for (const Resting& resting : resting_) {
    PageSet kept{resting.pages};
    kept.erase(pages);
    for (const PageRange& piece : kept.ranges()) rest.push_back({piece, resting.epoch});
    still_free.erase(resting.pages);
  }
  resting_ = std::move(rest);
}

void MapSpace::take_exactly(PageRange pages) {
  const std::uint64_t first = pages.first.value(), mark = runs_.high_water();
  const bool leaves_gap = first > mark;
  const std::uint64_t from = leaves_gap ? mark : first;
  const auto run = runs_.take_at(from, pages.end().value() - from);
  WEFT_ASSERT(run.has_value(), "page {} of the share is not free", first);
  if (leaves_gap) runs_.give(mark, first - mark);
}

}  // namespace weft::maps
