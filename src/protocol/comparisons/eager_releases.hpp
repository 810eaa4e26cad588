// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When operations of this node go on that others may see: at once, or under eager releases
// (protocol/comparisons.md, 20) when those before them are complete.
#pragma once

#include <cstdint>
#include <optional>

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
  // True: all releases so far are complete, and the caller goes on. False: the step is kept.
  [[nodiscard]] bool complete_or_keep(const auto& step) { return releases_.complete_or_keep(step); }
  [[nodiscard]] std::optional<Step> take_ready() { return releases_.take_ready(); }
  [[nodiscard]] bool are_complete() const { return releases_.are_complete(); }
  [[nodiscard]] bool is_empty() const { return releases_.is_empty(); }

  // The same before the epoch ends; what is released from now on is released lazily.
  [[nodiscard]] bool ended_or_keep(const auto& step) {
    if (!WEFT_BUG(kEagerInBarrier)) is_on_ = false;
    return complete_or_keep(step);
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
