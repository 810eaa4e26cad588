// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/barrier_pushes.hpp"

#include <algorithm>
#include <utility>

#include "protocol/bugs.hpp"
#include "protocol/page_runs.hpp"

namespace weft {
namespace {

bool is_noticed(PageIndex page, const std::vector<Notice>& notices) {
  return std::ranges::any_of(notices,
                             [page](const Notice& notice) { return notice.pages.contains(page); });
}

}  // namespace

void BarrierPushes::choose(NodeId parent, IntervalKey next,
                           const std::vector<SettledNotice>& settled, const PageSet& written) {
  parent_ = parent;
  interval_ = next;
  chosen_.clear();
  unwritten_ = {};
  if (!pusher_.serves(parent, next)) return;
  for (const SettledNotice& notice : settled) {
    // Only one that is told of the notice knows what has become of it.
    if (std::ranges::find(notice.holders, parent) == notice.holders.end()) continue;
    for (const PageRange& range : notice.pages.ranges()) {
      for_each_page(range, [&](PageIndex page) {
        if (pusher_.wants(parent, next, page)) chosen_.push_back(page);
      });
    }
  }
  const std::size_t most = context_.config.barrier_pages;
  // One more shows that they do not fit.
  const std::size_t room = most + 1 - std::min(most + 1, chosen_.size());
  const std::vector<PageIndex> earlier = pusher_.due_since(parent, next, written, room);
  if (chosen_.size() + earlier.size() > most) return chosen_.clear();
  pusher_.share(parent, earlier);
  for (const PageIndex page : earlier) unwritten_.insert(page);
  chosen_.insert(chosen_.end(), earlier.begin(), earlier.end());
}

Push BarrierPushes::up() const {
  Push push{interval_, {}, {}, {}};
  for (const PageIndex page : chosen_) push.pages.push_back({page, context_.memory.contents(page)});
  pusher_.add_rhythms(parent_, push);
  context_.counters.pages_pushed += chosen_.size();
  return push;
}

void BarrierPushes::keep(NodeId from, const Push& push) {
  if (push.pages.empty()) return;
  Kept& kept = kept_[from];
  kept.interval = push.interval;
  kept.rhythms = push.rhythms;
  for (const PageBytes& page : push.pages) {
    kept.pages[page.page] = Bytes(page.bytes.begin(), page.bytes.end());
  }
}

void BarrierPushes::begin_turn(NodeId parent, IntervalKey next,
                               const std::vector<Notice>& notices) {
  for (const PageIndex page : std::exchange(chosen_, {})) {
    if (next != interval_ || is_noticed(page, notices)) continue;
    if (unwritten_.contains(page)) {
      pusher_.count_sent(parent, page);
    } else {
      pusher_.count_carried(parent, page);
    }
    context_.links.note_sent(parent);
  }
}

void BarrierPushes::take_kept(IntervalKey next, const std::vector<Notice>& notices) {
  for (const auto& [from, kept] : std::exchange(kept_, {})) {
    Push push{kept.interval, {}, {}, kept.rhythms};
    for (const auto& [page, bytes] : kept.pages) {
      const bool right = next == kept.interval && !is_noticed(page, notices);
      if (right || WEFT_BUG(kTakeUnsettledPush)) push.pages.push_back({page, bytes});
    }
    context_.counters.pushes_refused += kept.pages.size() - push.pages.size();
    pusher_.on_push(from, context_.epoch, push);
  }
}

void BarrierPushes::forget() {
  chosen_.clear();
  for (const auto& [from, kept] : std::exchange(kept_, {})) {
    context_.counters.pushes_refused += kept.pages.size();
  }
}

}  // namespace weft
