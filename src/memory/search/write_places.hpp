// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the program is likely to have written: where it did when the same phase came after the
// same others before. A loop that goes round two arrays, or up and down several levels of a grid
// with the same code, writes elsewhere each time, but always in the same order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>

#include "base/ids.hpp"
#include "base/page_range.hpp"

namespace weft {

class WritePlaces {
 public:
  // A program whose writes never repeat would have ever more of them.
  static constexpr std::size_t kMostSituations = 4096;

  [[nodiscard]] PageSet expected(PhaseKey phase) {
    situation_.back().first = phase;
    const auto known = places_.find(situation_);
    return known == places_.end() ? PageSet() : known->second;
  }
  // The pages that were found, one at least.
  void note(PhaseKey phase, const PageSet& found) {
    situation_.back().first = phase;
    if (places_.size() >= kMostSituations) places_.clear();
    places_[situation_] = found;
    situation_.back().second = *found.first_from(PageIndex(0));
    std::ranges::rotate(situation_, situation_.begin() + 1);
    situation_.back() = {};
  }

 private:
  // The last phases in which there were writes, and the first page of each; then the present
  // one, of which the page is not known yet.
  using Situation = std::array<std::pair<PhaseKey, PageIndex>, 5>;

  std::map<Situation, PageSet> places_;
  Situation situation_;
};

}  // namespace weft
