// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread's walks through memory, recognised by its faults: forwards, backwards, or from page to
// page at an even distance, and several at once, as loops over several arrays make them. A walk
// that goes on as expected is given twice as many pages each time.
//
//   fault at 7, 8             a walk of stride 1: 8 9 | 10 11 12 13 | 14 ...
//   fault at 7, 6             a walk of stride -1: 6 5 | 4 3 2 1 | ...
//   fault at 7, 17, 27        a walk of stride 10: 27 37 | 47 57 67 77 | ...
//
// Pure bookkeeping: whether a page is there, or may be had, is the fetcher's business.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/ids.hpp"

namespace weft {

// The pages first, first + stride, ..., `count` of them, all in the region.
struct PagesAhead {
  PageIndex first;
  std::int64_t stride = 1;
  std::uint64_t count = 0;
  bool operator==(const PagesAhead&) const = default;
};

class Walks {
 public:
  // At most `limit` pages at once, in a region of `page_count`.
  Walks(std::uint32_t limit, std::uint64_t page_count) : limit_(limit), page_count_(page_count) {}

  // The thread touched a page that nobody has asked for: what it should have now, that page first.
  PagesAhead touched(PageIndex page);
  // The thread touched a page that has been asked for: what it should have next, once it is in the
  // last half of what it was given, so that the home sends while the thread uses what has come.
  std::optional<PagesAhead> reached(PageIndex page);

 private:
  struct Walk {
    std::int64_t at = 0;    // the last fault
    std::int64_t next = 0;  // the first page beyond what was given
    std::int64_t stride = 1;
    std::uint64_t window = 0;  // pages given last; 0: no walk
    std::uint64_t used = 0;    // when

    // How many of the pages given lie from `page` on; 0 if it is none of them, or behind the last
    // fault.
    [[nodiscard]] std::uint64_t left_from(std::int64_t page) const;
  };

  PagesAhead give(Walk& walk, std::int64_t page, std::uint64_t count);
  PagesAhead go_on(Walk& walk);
  Walk* find_beginning(std::int64_t page);
  Walk& least_recently_used();

  static constexpr std::size_t kWalks = 16;

  std::uint32_t limit_;
  std::uint64_t page_count_;
  std::uint64_t uses_ = 0;
  std::array<Walk, kWalks> walks_;
};

}  // namespace weft
