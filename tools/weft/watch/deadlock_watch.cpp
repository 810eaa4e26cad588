// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/watch/deadlock_watch.hpp"

#include <algorithm>

namespace weft {

void DeadlockWatch::look() {
  if (is_under_way_) (void)finder_.on_look({});
  begin(/*texts=*/false);
}

void DeadlockWatch::begin(bool texts) {
  is_under_way_ = true;
  wants_texts_ = texts;
  views_.clear();
  ask_({.asker = ViewAsker::kDeadlock, .number = ++number_, .standstill = true, .texts = texts});
}

void DeadlockWatch::on_views(const HostViews& views) {
  if (!is_under_way_ || views.number != number_) return;
  views_.insert(views_.end(), views.nodes.begin(), views.nodes.end());
  if (views_.size() >= nodes_) conclude();
}

void DeadlockWatch::conclude() {
  is_under_way_ = false;
  std::ranges::sort(views_, {}, &NodeView::node);
  const bool had_texts = wants_texts_;
  const bool is_stuck = finder_.on_look(views_);
  // The words take long, so they are asked for when they are needed, and come with one look more.
  if (had_texts && finder_.is_stuck()) finding_ = std::move(views_);
  if (is_stuck) begin(/*texts=*/true);
}

}  // namespace weft
