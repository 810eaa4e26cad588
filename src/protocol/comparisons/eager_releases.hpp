// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When operations of this node go on that others may see: at once, or under eager releases
// (protocol/comparisons.md, 20) when those before them are complete.
#pragma once

#include <cstdint>
#include <utility>

#include "protocol/comparisons/outstanding_releases.hpp"
#include "protocol/interface/bugs.hpp"
#include "protocol/interface/engine_config.hpp"

namespace weft {

class EagerReleases {
 public:
  explicit EagerReleases(ReleasePolicy policy)
      : policy_(policy), is_on_(policy == ReleasePolicy::kEager) {}

  // In this epoch, until this node is about to arrive.
  [[nodiscard]] bool is_on() const { return is_on_; }
  // The number of a release that begins, and the end of one.
  [[nodiscard]] std::uint64_t begin() { return releases_.begin(); }
  void finish(std::uint64_t number) { releases_.finish(number); }
  // Runs when all releases so far are complete: at once if there are none.
  template <typename Then>
  void after(Then then) {
    releases_.when_complete(std::move(then));
  }
  [[nodiscard]] bool are_complete() const { return releases_.are_complete(); }
  [[nodiscard]] bool is_empty() const { return releases_.is_empty(); }

  // The same as after(), before the epoch ends; what is released from now on is released lazily.
  template <typename Then>
  void end(Then then) {
    if (!WEFT_BUG(kEagerInBarrier)) is_on_ = false;
    after(std::move(then));
  }
  // They need not be complete any more.
  void abandon() { releases_.abandon(); }
  // `with_others`: threads outside the team run on any node.
  void begin_epoch(bool with_others) {
    is_on_ = policy_ == ReleasePolicy::kEager && (!with_others || WEFT_BUG(kEagerWithOthers));
  }

 private:
  ReleasePolicy policy_;
  bool is_on_;
  OutstandingReleases releases_;
};

}  // namespace weft
