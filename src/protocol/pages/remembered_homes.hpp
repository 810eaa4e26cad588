// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The homes of pages with which this node has nothing to do, as far as there is room: a limited
// number of runs of pages that have the same. What is remembered is right; what is not can be asked
// of the page's directory (protocol/pages.md, 17).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "protocol/interface/home_facts.hpp"

namespace weft {

class RememberedHomes {
 public:
  explicit RememberedHomes(std::size_t limit) : limit_(limit) {}

  // Takes down what is so of all of these pages. Where there is no room, the shortest run goes.
  void set(PageRange pages, const HomeFacts& facts);
  void forget(PageRange pages);
  [[nodiscard]] std::optional<HomeFacts> find(PageIndex page) const;
  // What is remembered of these pages, ascending.
  [[nodiscard]] std::vector<HomeRun> within(PageRange pages) const;

 private:
  // The first run that ends behind the page.
  [[nodiscard]] std::vector<HomeRun>::const_iterator ending_after(PageIndex page) const;
  void join_with_next(std::size_t index);
  void make_room();
  void keep_within_limit();

  std::size_t limit_;
  std::vector<HomeRun> runs_;  // ascending, disjoint
};

}  // namespace weft
