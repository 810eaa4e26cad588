// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of pages, and sets of pages kept as runs. Write notices, tracking and fetches all speak of
// runs, so that a thousand neighbouring pages cost what one does.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/ids.hpp"

namespace weft {

// The pages [first, first + count).
struct PageRange {
  PageIndex first;
  std::uint64_t count = 0;

  [[nodiscard]] constexpr PageIndex end() const { return PageIndex(first.value() + count); }
  [[nodiscard]] constexpr bool contains(PageIndex page) const {
    return first <= page && page < end();
  }
  constexpr auto operator<=>(const PageRange&) const = default;
};

// A set of pages as disjoint, ascending, never adjacent ranges. Deterministic to iterate.
class PageSet {
 public:
  PageSet() = default;
  PageSet(std::initializer_list<PageRange> ranges);

  void insert(PageRange range);
  void insert(PageIndex page) { insert(PageRange{page, 1}); }
  void insert(const PageSet& other);
  void erase(PageRange range);
  void erase(PageIndex page) { erase(PageRange{page, 1}); }
  void clear() { ends_.clear(); }

  [[nodiscard]] bool empty() const { return ends_.empty(); }
  [[nodiscard]] bool contains(PageIndex page) const;
  // Where the last range that begins before this page ends; where the first one begins that does
  // not begin before it.
  [[nodiscard]] std::optional<PageIndex> end_before(PageIndex page) const;
  [[nodiscard]] std::optional<PageIndex> first_from(PageIndex page) const;
  [[nodiscard]] std::uint64_t page_count() const;
  [[nodiscard]] std::size_t range_count() const { return ends_.size(); }
  [[nodiscard]] std::vector<PageRange> ranges() const;
  // The parts of `range` that are in the set, ascending.
  [[nodiscard]] std::vector<PageRange> intersection(PageRange range) const;
  // The parts of `range` that are not, ascending.
  [[nodiscard]] std::vector<PageRange> outside(PageRange range) const;
  bool operator==(const PageSet&) const = default;

 private:
  std::map<std::uint64_t, std::uint64_t> ends_;  // first page -> end page of each range
};

}  // namespace weft
