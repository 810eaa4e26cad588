// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This node's eager releases (protocol/comparisons.md, 20) that are not complete, and what is to
// come after them. With lazy ones there is nothing in here, and everything runs at once.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <utility>

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
  void finish(std::uint64_t number) {
    outstanding_.erase(number);
    run_waiting();
  }
  // They need not be complete any more.
  void abandon() {
    outstanding_.clear();
    run_waiting();
  }
  // Runs once all that have begun so far are complete: now, or in a later finish(). In the order of
  // the calls.
  template <typename Then>
  void when_complete(Then then) {
    if (is_empty() || WEFT_BUG(kReleaseUnacknowledged)) return then();
    waiting_.push_back({last_, std::move(then)});
  }
  [[nodiscard]] bool is_empty() const { return are_complete() && waiting_.empty(); }
  [[nodiscard]] bool are_complete() const { return outstanding_.empty(); }

 private:
  struct Waiting {
    std::uint64_t after;
    std::function<void()> then;
  };
  [[nodiscard]] bool may_run(const Waiting& waiting) const {
    return outstanding_.empty() || *outstanding_.begin() > waiting.after;
  }
  void run_waiting() {
    while (!waiting_.empty() && may_run(waiting_.front())) {
      const std::function<void()> then = std::move(waiting_.front().then);
      waiting_.pop_front();
      then();
    }
  }

  std::uint64_t last_ = 0;
  std::set<std::uint64_t> outstanding_;
  std::deque<Waiting> waiting_;
};

}  // namespace weft
