// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The copies of other nodes' pages that this node holds, in the order in which they go when memory
// is short: an approximation of least recently used by second chances (protocol/intervals.md, 12).
// Pages that are mapped are read without a trace, so the oldest are unmapped for a while, contents
// and all; one that is touched again comes last, and the others go first.
#pragma once

#include <cstdint>
#include <deque>

#include "base/page_range.hpp"
#include "protocol/pages/page_table.hpp"

namespace weft {

class CopyQueue {
 public:
  explicit CopyQueue(const PageTable& table) : table_(table) {}

  // Pages that came together, by a fetch of this number (Page::fetched), or with their initial
  // contents (0). They are still those copies while they are pristine, or valid and of this number.
  void add(PageRange pages, std::uint32_t request);

  // Up to `count` copies, first those that had their second chance, then the oldest; none that is
  // spared, and none of the `kept` that came last. They are named once.
  [[nodiscard]] PageSet take(std::uint64_t count, std::uint64_t kept, const PageSet& spared);
  // Which copies get their second chance now, to be unmapped: some of those that would go next.
  [[nodiscard]] PageSet test(std::uint64_t kept, const PageSet& spared);

 private:
  struct Arrival {
    PageRange pages;
    std::uint32_t request = 0;
  };

  struct List {
    std::deque<Arrival> arrivals;
    std::uint64_t pages = 0;  // named in it, whether they are still there or not

    void append(PageRange more, std::uint32_t request);
    void prepend(const List& other);
    Arrival take_first();  // of one page
  };

  [[nodiscard]] bool is_mapped_still(PageIndex page, std::uint32_t request) const;
  [[nodiscard]] bool is_unmapped_still(PageIndex page, std::uint32_t request) const;
  void forget_what_went();
  template <typename More, typename IsStill, typename Stays, typename Visit>
  static void take_from(List& list, More more, IsStill is_still, Stays stays, Visit visit);

  const PageTable& table_;
  List mapped_, unmapped_;
  std::size_t most_arrivals_ = 0;  // of this length, mapped_ is rid of what went
};

}  // namespace weft
