// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In which epoch the threads of a node have begun to overwrite a page, the last time. In that epoch
// there may be copies that its home does not know of (protocol/intervals.md, 25).
#pragma once

#include <algorithm>
#include <map>

#include "base/ids.hpp"

namespace weft::sim {

class Overwritten {
 public:
  void note(PageIndex page, Epoch epoch) { last_[page] = epoch; }
  [[nodiscard]] bool contains(PageIndex page, Epoch epoch) const {
    const auto known = last_.find(page);
    return known != last_.end() && known->second == epoch;
  }

 private:
  std::map<PageIndex, Epoch> last_;
};

// Whether any node has, in that epoch. A copy may have gone on from there with a lock, past the
// home.
[[nodiscard]] bool was_overwritten(const auto& nodes, PageIndex page, Epoch epoch) {
  return std::ranges::any_of(
      nodes, [&](const auto& node) { return node->overwritten.contains(page, epoch); });
}

}  // namespace weft::sim
