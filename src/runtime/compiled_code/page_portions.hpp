// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pages of one call of the program's, in portions: the node answers nobody while it handles
// one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/page_range.hpp"
#include "runtime/interface/node.hpp"

namespace weft {

// What one call asks for is to be here still when it is used.
inline std::uint64_t most_pages_to_ask_for(const Node& node) {
  const std::uint64_t limit = node.memory_limit();
  return limit == 0 ? UINT64_MAX : limit / 8 / kPageBytes / node.threads_per_node();
}

// Hands on at most so many pages: take(pages) of some at a time, a vector of ranges.
template <typename Take>
class PagePortions {
 public:
  PagePortions(std::uint64_t most, Take take) : left_(most), take_(std::move(take)) {}

  void add(PageRange pages) {
    pages.count = std::min(pages.count, left_);
    left_ -= pages.count;
    while (pages.count > 0) {
      const PageRange some{pages.first, std::min(pages.count, kPagesAtOnce - waiting_pages_)};
      waiting_.push_back(some);
      waiting_pages_ += some.count;
      if (waiting_pages_ == kPagesAtOnce) end();
      pages = {some.end(), pages.count - some.count};
    }
  }
  void end() {
    if (!waiting_.empty()) take_(waiting_);
    waiting_.clear();
    waiting_pages_ = 0;
  }

 private:
  static constexpr std::uint64_t kPagesAtOnce = 256;

  std::uint64_t left_;
  Take take_;
  std::vector<PageRange> waiting_;
  std::uint64_t waiting_pages_ = 0;
};

}  // namespace weft
