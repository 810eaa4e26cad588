// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/barrier_pushes.hpp"

#include <algorithm>
#include <utility>

#include "protocol/bugs.hpp"
#include "protocol/page_runs.hpp"

namespace weft {

void BarrierPushes::choose(NodeId parent, IntervalKey next,
                           const std::vector<SettledNotice>& settled) {
  interval_ = next;
  chosen_.clear();
  if (!pusher_.serves(parent, next)) return;
  for (const SettledNotice& notice : settled) {
    // Only one that is told of the notice knows what has become of it.
    if (std::ranges::find(notice.holders, parent) == notice.holders.end()) continue;
    for (const PageRange& range : notice.pages.ranges()) {
      for_each_page(range, [&](PageIndex page) {
        if (chosen_.size() < context_.config.barrier_pages && pusher_.wants(parent, next, page)) {
          chosen_.push_back(page);
        }
      });
    }
  }
}

Push BarrierPushes::up() const {
  Push push{interval_, {}, {}};
  for (const PageIndex page : chosen_) push.pages.push_back({page, context_.memory.contents(page)});
  context_.counters.pages_pushed += chosen_.size();
  return push;
}

void BarrierPushes::keep(NodeId from, const Push& push) {
  if (push.pages.empty()) return;
  Kept& kept = kept_[from];
  kept.interval = push.interval;
  for (const PageBytes& page : push.pages) {
    kept.pages[page.page] = Bytes(page.bytes.begin(), page.bytes.end());
  }
}

void BarrierPushes::begin_turn(NodeId parent, IntervalKey next, const PageSet& settled) {
  for (const PageIndex page : std::exchange(chosen_, {})) {
    if (next != interval_ || !settled.contains(page)) continue;
    pusher_.count_carried(parent, page);
    context_.links.note_sent(parent);
  }
}

void BarrierPushes::take_kept(IntervalKey next, const std::vector<SettledNotice>& settled) {
  for (const auto& [from, kept] : std::exchange(kept_, {})) {
    PageSet right;
    for (const SettledNotice& notice : settled) {
      if (notice.writer == from && next == kept.interval) right.insert(notice.pages);
    }
    Push push{kept.interval, {}, {}};
    for (const auto& [page, bytes] : kept.pages) {
      if (right.contains(page) || WEFT_BUG(kTakeUnsettledPush)) push.pages.push_back({page, bytes});
    }
    context_.counters.pushes_refused += kept.pages.size() - push.pages.size();
    pusher_.on_push(from, context_.epoch, push);
  }
}

}  // namespace weft
