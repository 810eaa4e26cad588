// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/epochs/barrier_pushes.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/assert.hpp"
#include "protocol/interface/bugs.hpp"
#include "protocol/pages/page_runs.hpp"

namespace weft {
namespace {

bool is_noticed(PageIndex page, const std::vector<Notice>& notices) {
  return std::ranges::any_of(notices,
                             [page](const Notice& notice) { return notice.pages.contains(page); });
}

// Nobody has written the page but its home; or but these two, and of those the other did nothing of
// it at the home.
bool is_by(NodeId home, NodeId other, PageIndex page, const std::vector<Notice>& notices,
           bool may_be_two) {
  return std::ranges::all_of(notices, [&](const Notice& notice) {
    const bool is_known = notice.writer == home || (notice.writer == other && may_be_two) ||
                          (notice.writer == kNoNode && WEFT_BUG(kOverlookAtHome));
    return is_known || !notice.pages.contains(page);
  });
}

// What nodes leave to others to pass on fills at most so many messages of the tree's root: more had
// better go from all nodes at once.
constexpr std::size_t kRootMessages = 4;

bool is_among(NodeId node, const std::vector<NodeId>& nodes) {
  return std::ranges::find(nodes, node) != nodes.end();
}

// Those of the nodes to which there is a way from `first` that leads by such nodes alone.
std::vector<NodeId> reached_from(NodeId first, const std::vector<NodeId>& nodes,
                                 const BarrierTree& tree) {
  std::vector<NodeId> reached{first};
  for (std::size_t at = 0; at < reached.size(); ++at) {
    for (const NodeId node : nodes) {
      if (tree.joins(reached[at], node) && !is_among(node, reached)) reached.push_back(node);
    }
  }
  std::ranges::sort(reached);
  return reached;
}

}  // namespace

void BarrierPushes::choose(const BarrierTree& tree, NodeId to, PhaseKey next,
                           const std::vector<SettledNotice>& settled, const PageSet& written,
                           const PageSet& written_here, const PageSet& acquired) {
  receiver_ = to;
  phase_ = next;
  chosen_.clear();
  unwritten_ = {};
  if (!pusher_.serves(receiver_, next)) return;
  const std::size_t most = context_.config.barrier_pages;
  std::vector<Wanted> pages = wanted(settled, written, written_here);
  std::erase_if(pages, [&](const Wanted& each) { return acquired.contains(each.page); });
  if (pages.size() > most) return unwritten_.clear();
  // If all have as much for all, the root sends it all to each, one after the other.
  const std::size_t others = context_.config.node_count - 1U;
  const bool passes_on = pages.size() * others * others <= kRootMessages * most;
  const std::vector<NodeId> receiver{receiver_};
  std::map<NodeId, std::vector<PageIndex>> shared;
  for (const Wanted& each : pages) {
    const std::vector<NodeId> consumers = passes_on ? consumers_of(each, tree) : receiver;
    chosen_[consumers].push_back(each.page);
    if (!unwritten_.contains(each.page)) continue;
    for (const NodeId consumer : consumers) shared[consumer].push_back(each.page);
  }
  // Together: to watch pages is a system call for each stretch of them.
  for (const auto& [consumer, some] : shared) pusher_.share(consumer, some);
}

std::vector<BarrierPushes::Wanted> BarrierPushes::wanted(const std::vector<SettledNotice>& settled,
                                                         const PageSet& written,
                                                         const PageSet& written_here) {
  std::vector<Wanted> pages;
  const auto add = [&](const PageSet& some, const SettledNotice* notice, bool only_lacking) {
    for (const PageRange& range : some.ranges()) {
      for_each_page(range, [&](PageIndex page) {
        if (pusher_.wants(receiver_, phase_, page)) pages.push_back({page, notice, only_lacking});
      });
    }
  };
  for (const SettledNotice& notice : settled) {
    if (notice.holders.empty()) {
      add(notice.pages, nullptr, true);
    } else if (is_among(receiver_, notice.holders)) {
      // Only one that is told of the notice knows what has become of it.
      add(notice.pages, &notice, false);
    }
  }
  PageSet others = written_here;
  for (const Wanted& each : pages) others.erase(each.page);
  add(others, nullptr, false);
  // One more shows that they do not fit.
  const std::size_t enough = context_.config.barrier_pages + std::size_t{1};
  const std::size_t room = enough - std::min(enough, pages.size());
  for (const PageIndex page : pusher_.due_since(receiver_, phase_, written, room)) {
    pages.push_back({page, nullptr, true});
    unwritten_.insert(page);
  }
  std::ranges::sort(pages, {}, &Wanted::page);
  return pages;
}

std::vector<NodeId> BarrierPushes::consumers_of(const Wanted& wanted,
                                                const BarrierTree& tree) const {
  std::vector<NodeId> nodes;
  if (wanted.only_lacking || wanted.notice) {
    nodes = pusher_.wanting(receiver_, phase_, wanted.page, wanted.only_lacking);
  }
  if (wanted.notice) {
    std::erase_if(nodes, [&](NodeId node) { return !is_among(node, wanted.notice->holders); });
  }
  return reached_from(receiver_, nodes, tree);
}

std::vector<SharedPush> BarrierPushes::up(NodeId parent) const {
  std::vector<SharedPush> pushes;
  for (const auto& [consumers, pages] : chosen_) {
    SharedPush& shared = pushes.emplace_back(
        SharedPush{context_.config.self, consumers, Push{.phase = phase_, .rhythms = {}}});
    for (const PageIndex page : pages) {
      const bool is_read_here = pusher_.is_read_here(consumers, page);
      shared.push.pages.push_back(
          {page, is_read_here ? ByteView() : context_.memory.contents(page)});
    }
    pusher_.add_rhythms(parent, shared.push);
    context_.counters.pages_pushed += pages.size() * consumers.size();
    WEFT_PROBE(context_, kPushUp);
  }
  for (const Kept& kept : kept_) {
    if (!is_among(parent, kept.consumers)) continue;
    pushes.push_back({kept.home, kept.consumers, part_of(kept, [](PageIndex) { return true; })});
  }
  return pushes;
}

void BarrierPushes::keep(NodeId from, const std::vector<SharedPush>& pushes) {
  for (const SharedPush& shared : pushes) {
    const Push& push = shared.push;
    for (const PageBytes& page : push.pages)
      WEFT_ASSERT(page.bytes.empty() || page.bytes.size() == kPageBytes, "page of {} bytes",
                  page.bytes.size());
    kept_.push_back({.from = from,
                     .home = shared.home,
                     .consumers = shared.consumers,
                     .phase = push.phase,
                     .pages = push.pages,
                     .rhythms = push.rhythms,
                     .own = {}});
  }
}

void BarrierPushes::own_kept() {
  for (Kept& kept : kept_) {
    if (!kept.own.empty()) continue;
    kept.own.reserve(kept.pages.size() * kPageBytes);  // so that it does not move
    for (PageBytes& page : kept.pages) {
      if (page.bytes.empty()) continue;
      kept.own.insert(kept.own.end(), page.bytes.begin(), page.bytes.end());
      page.bytes = ByteView(kept.own).last(kPageBytes);
    }
  }
}

template <typename Counts>
Push BarrierPushes::part_of(const Kept& kept, Counts counts) {
  Push push{.phase = kept.phase, .rhythms = kept.rhythms};
  std::ranges::copy_if(kept.pages, std::back_inserter(push.pages), counts, &PageBytes::page);
  return push;
}

std::vector<SharedPush> BarrierPushes::down(NodeId child, PhaseKey next,
                                            const std::vector<Notice>& notices) const {
  std::vector<SharedPush> pushes;
  for (const Kept& kept : kept_) {
    if (kept.from == child || kept.phase != next || !is_among(child, kept.consumers)) continue;
    Push push = part_of(kept, [&](PageIndex page) {
      return !is_noticed(page, notices) || WEFT_BUG(kPassOnDisputed);
    });
    WEFT_PROBE_IF(!push.pages.empty(), context_, kPushPassedOn);
    if (!push.pages.empty()) pushes.push_back({kept.home, kept.consumers, std::move(push)});
  }
  return pushes;
}

void BarrierPushes::begin_turn(PhaseKey next, const std::vector<Notice>& notices) {
  for (const auto& [consumers, pages] : std::exchange(chosen_, {})) {
    for (const PageIndex page : pages) {
      if (next != phase_) continue;
      for (const NodeId consumer : consumers) {
        const bool is_right = consumer == receiver_ && suffices(consumer, page, notices);
        if (is_noticed(page, notices) && !is_right) continue;
        if (unwritten_.contains(page)) {
          pusher_.count_sent(consumer, page);
        } else {
          pusher_.count_carried(consumer, page);
        }
      }
      context_.links.note_sent(receiver_);
    }
  }
}

void BarrierPushes::take_kept(PhaseKey next, const std::vector<Notice>& notices) {
  for (const Kept& kept : std::exchange(kept_, {})) {
    const bool came_down = WEFT_BUG(kPassOnDisputed) && kept.home != kept.from;
    const Push push = part_of(kept, [&](PageIndex page) {
      const bool right = !is_noticed(page, notices) || suffices(kept, page, notices);
      return (right && next == kept.phase) || came_down || WEFT_BUG(kTakeUnsettledPush);
    });
    context_.counters.pushes_refused += kept.pages.size() - push.pages.size();
    WEFT_PROBE_IF(kept.pages.size() > push.pages.size(), context_, kPushRefused);
    fetcher_.on_push(kept.home, context_.epoch, push);
    for (const PageBytes& page : push.pages) {
      const auto own = own_diffs_.find(page.page);
      if (own != own_diffs_.end()) pusher_.add_own(page.page, own->second);
    }
  }
  forget_crossing();
}

void BarrierPushes::note_own(const FinalUpdate& early) {
  own_whole_ = early.whole;
  own_diffs_.clear();
  for (const auto& [page, diff] : early.diffs) {
    if (own_whole_.contains(page)) own_diffs_[page] = diff;
  }
}

bool BarrierPushes::suffices(NodeId other, PageIndex page,
                             const std::vector<Notice>& notices) const {
  const bool may_be_two = other_whole_.contains(page) || WEFT_BUG(kTakeAnyOwn);
  return is_by(context_.config.self, other, page, notices, may_be_two);
}

bool BarrierPushes::suffices(const Kept& kept, PageIndex page,
                             const std::vector<Notice>& notices) const {
  const bool may_be_two = own_whole_.contains(page) || WEFT_BUG(kTakeAnyOwn);
  return kept.home == kept.from &&
         is_by(kept.home, context_.config.self, page, notices, may_be_two);
}

void BarrierPushes::forget() {
  chosen_.clear();
  forget_crossing();
  for (const Kept& kept : std::exchange(kept_, {})) {
    context_.counters.pushes_refused += kept.pages.size();
  }
}

void BarrierPushes::forget_crossing() {
  own_whole_.clear();
  other_whole_.clear();
  own_diffs_.clear();
}

}  // namespace weft
