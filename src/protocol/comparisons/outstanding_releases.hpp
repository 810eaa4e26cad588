// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This node's eager releases (protocol/comparisons.md, 20) that are not complete, and what is to
// come after them. With lazy ones there is nothing in here, and nothing waits.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <utility>

#include "protocol/context/step.hpp"
#include "protocol/interface/bugs.hpp"

namespace weft {

class OutstandingReleases {
 public:
  // The number of a release that begins.
  [[nodiscard]] std::uint64_t begin() {
    outstanding_.insert(++last_);
    return last_;
  }
  // It is complete.
  void finish(std::uint64_t number) { outstanding_.erase(number); }
  // They need not be complete any more.
  void abandon() { outstanding_.clear(); }
  // True: all that have begun so far are complete, and the caller goes on. False: the step is kept.
  [[nodiscard]] bool complete_or_keep(const auto& step) {
    if (is_empty() || WEFT_BUG(kReleaseUnacknowledged)) return true;
    waiting_.push_back({last_, step});
    return false;
  }
  // The first step that was kept, if it may be taken now. To be taken before the next one is asked
  // for: it may begin releases.
  [[nodiscard]] std::optional<Step> take_ready() {
    if (waiting_.empty() || !may_go_on(waiting_.front())) return std::nullopt;
    Step step = std::move(waiting_.front().step);
    waiting_.pop_front();
    return step;
  }
  [[nodiscard]] bool is_empty() const { return are_complete() && waiting_.empty(); }
  [[nodiscard]] bool are_complete() const { return outstanding_.empty(); }

 private:
  struct Waiting {
    std::uint64_t after;
    Step step;
  };
  [[nodiscard]] bool may_go_on(const Waiting& waiting) const {
    return outstanding_.empty() || *outstanding_.begin() > waiting.after;
  }

  std::uint64_t last_ = 0;
  std::set<std::uint64_t> outstanding_;
  std::deque<Waiting> waiting_;
};

}  // namespace weft
