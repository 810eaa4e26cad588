// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/context/coverage.hpp"

#ifdef WEFT_DELIBERATE_BUGS

namespace weft {
namespace {

constexpr std::array<std::string_view, kFeatureCount> kFeatureNames = {
    "crossing",
    "early-final",
    "final",
    "settled-notice",
    "offer",
    "take-over",
    "home-move",
    "kept-copy",
    "new-tree",
    "empty-barrier",
    "met-contribution",
    "empty-publication",
    "gather",
    "contribution",
    "to-parent",
    "publication",
    "held-departure",
    "outsiders",
    "late-record",
    "late-diff",
    "push",
    "push-up",
    "push-down",
    "push-passed-on",
    "push-taken",
    "push-refused",
    "push-held-back",
    "push-awaited",
    "own-added",
    "unsubscribe",
    "rhythm",
    "remote-lock",
    "try-again",
    "try",
    "adding-right",
    "right-given-back",
    "likely-sum",
    "right-ahead",
    "open-interval",
    "carried-diff",
    "deferred",
    "demand",
    "carried-page",
    "lock-home-move",
    "bound-page",
    "post",
    "sequencer",
    "fetch",
    "read-ahead",
    "leaf-completed",
    "fetch-again",
    "part-of-page",
    "exposed",
    "exposed-beyond",
    "one-sided-read",
    "home-asked",
    "held-update",
    "late-update",
    "eviction",
    "write-back",
    "second-chance",
    "atomic-here",
    "atomic-there",
    "page-opened",
    "atomic-direct",
    "shown-word",
    "told-word",
    "loaded-shown",
    "merged-atomic",
    "sent-store",
    "store-proved",
    "eager-release",
    "recall",
    "long-final",
    "overwrite",
    "prefetch",
    "commit",
    "replaced-page",
    "told-first",
    "answer-read",
    "answer-unread",
    "push-read",
    "push-unread",
    "asked-before",
    "page-back",
    "exchanged-final",
    "exchanged-push",
    "collection",
    "told-records",
};
static_assert(!kFeatureNames.back().empty());

constexpr std::array<std::string_view, static_cast<std::size_t>(EngineInput::kRequests)>
    kRequestNames = {"fault",     "acquire",  "try",     "release",  "barrier",
                     "gather",    "publish",  "advance", "await",    "post",
                     "atomic",    "merge",    "fence",   "flush",    "memory-pressure",
                     "overwrite", "prefetch", "commit",  "set-aside"};
static_assert(!kRequestNames.back().empty());

constexpr std::array<std::string_view, kCountedStates> kStateNames = {
    "pristine", "valid", "held-back", "invalid", "asked-for", "shared", "exclusive"};

}  // namespace

std::string_view feature_name(std::size_t feature) { return kFeatureNames[feature]; }

std::string_view cause_name(std::size_t cause) {
  if (cause < kMessageTypes) return message_name(static_cast<MessageType>(cause));
  return kRequestNames[cause - kMessageTypes];
}

std::string_view counted_state_name(std::size_t state) { return kStateNames[state]; }

std::size_t Coverage::counted(PageState state, bool mapped, bool asked_for) {
  switch (state) {
    case PageState::kPristine:
      return 0;
    case PageState::kValid:
      return mapped ? 1 : 2;
    case PageState::kInvalid:
      return asked_for ? 4 : 3;
    case PageState::kShared:
      return 5;
    default:
      return 6;
  }
}

void Coverage::end_epoch() {
  if (active_.any()) counts().add_epoch(active_);
  active_.reset();
}

void Coverage::count_into(CoverageCounts& counts) {
  if (counts_) counts.add(*counts_);
  own_.reset();
  counts_ = &counts;
}

CoverageCounts& Coverage::own_counts() {
  own_ = std::make_unique<CoverageCounts>();
  counts_ = own_.get();
  return *counts_;
}

CoverageCounts Coverage::counts_at_end() const {
  CoverageCounts all = counts_ ? *counts_ : CoverageCounts();
  all.add_epoch(active_);
  return all;
}

void CoverageCounts::add_epoch(const Features& active) {
  for (std::size_t one = 0; one < kFeatureCount; ++one) {
    if (!active[one]) continue;
    for (std::size_t other = one; other < kFeatureCount; ++other) {
      pairs[one][other] += active[other] ? 1 : 0;
    }
  }
}

void CoverageCounts::add(const CoverageCounts& others) {
  for (std::size_t cause = 0; cause < kCauses; ++cause) {
    for (std::size_t state = 0; state < kCountedStates; ++state) {
      states[cause][state] += others.states[cause][state];
    }
  }
  for (std::size_t machine = 0; machine < kMachines.size(); ++machine) {
    for (std::size_t row = 0; row < kMostRows; ++row) {
      rows[machine][row] += others.rows[machine][row];
    }
  }
  for (std::size_t one = 0; one < kFeatureCount; ++one) {
    for (std::size_t other = one; other < kFeatureCount; ++other) {
      pairs[one][other] += others.pairs[one][other];
    }
  }
}

}  // namespace weft

#endif
