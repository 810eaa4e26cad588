// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/epochs/epoch_turn.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "protocol/homes/home_choice.hpp"
#include "protocol/interface/bugs.hpp"

namespace weft {
namespace {

// A page's home may be among them as such, by a node that did not know where it is.
std::vector<NodeId> writers_of(const WrittenRun& segment, NodeId home) {
  std::vector<NodeId> writers = segment.writers;
  if (writers.back() != kNoNode) return writers;
  writers.pop_back();
  const auto place = std::ranges::lower_bound(writers, home);
  if (place == writers.end() || *place != home) writers.insert(place, home);
  return writers;
}

}  // namespace

EpochTurn::EpochTurn(Context& context, PageTable& table, PageAccess& access, Coherence& coherence,
                     UpdateStreams& streams, Pusher& pusher, CopyHolders& holders,
                     EpochWrites& writes, HomeUpdates& updates, Exposure& exposure, OpenPages& open,
                     Exchanges& exchanges)
    : context_(context),
      table_(table),
      access_(access),
      coherence_(coherence),
      streams_(streams),
      pusher_(pusher),
      holders_(holders),
      writes_(writes),
      updates_(updates),
      exposure_(exposure),
      open_(open),
      exchanges_(exchanges),
      offers_(context, table) {}

EpochTurn::Finals EpochTurn::turn_pages(const Ending& ending) {
  context_.turn_barrier(ending.is_publication ? BarrierEvent::kPublish : BarrierEvent::kDepart);
  streams_.pause(true);
  context_.exposed.end_epoch();
  exchanges_.begin_turn(ending.next, ending.exchanges);
  is_publication_ = ending.is_publication;
  with_others_ = !ending.others.empty();
  // At a publication threads may still be on their way to where they wait for it.
  if (ending.threads_wait && (!with_others_ || WEFT_BUG(kPauseWithOthers))) {
    context_.memory.begin_pause();
  }
  WEFT_PROBE_IF(with_others_, context_, kOutsiders);
  WEFT_PROBE_IF(is_publication_, context_, kPublication);
  // Node 0's children may send pages with the arrival that ended the last region, and would send
  // them by themselves behind the publication that begins the next.
  const bool begins_region = is_publication_ && context_.is_self(NodeId(0));
  pusher_.begin_turn(ending.next,
                     begins_region ? ending.tree.children(NodeId(0)) : std::vector<NodeId>());
  Work work{ending.tree};
  for (const WrittenRun& segment : written_runs(ending.notices, ending.replaced))
    turn(segment, work);
  for (const Notice& moved : ending.moves) {
    for (const PageRange& range : moved.pages.ranges()) move(range, moved.writer, work);
  }
  expect_finals_of(ending.others, work);
  carry_out(work);
  pusher_.expect_pushes();
  has_pushed_ = false;
  return std::move(work.finals);
}

void EpochTurn::send_finals(Finals finals) {
  count_load(finals);
  if (exchanges_.finals.is_under_way()) {
    exchange_finals(std::move(finals));
  } else {
    for (const auto& [home, diffs] : finals) updates_.send_diffs(home, diffs, true, false);
  }
  updates_.deferred().send_all();
}

void EpochTurn::count_load(const Finals& finals) {
  std::vector<NodeId> coming;
  std::ranges::set_difference(expected_, received_, std::back_inserter(coming));
  exchanges_.choice.count_coming(ExchangeKind::kFinals, coming.size());
  if (!exchanges_.choice.is_counted(finals.size())) return;
  std::vector<ExchangeChoice::Load> loads;
  for (const auto& [home, diffs] : finals) {
    std::size_t bytes = 0;
    for (const auto& [page, diff] : diffs) bytes += diff.size();
    loads.push_back({{home}, bytes});
  }
  exchanges_.choice.count(ExchangeKind::kFinals, finals.size(), loads);
}

void EpochTurn::exchange_finals(Finals finals) {
  std::vector<Exchange::Own> own;
  for (auto& [home, diffs] : finals) {
    const FinalUpdate final = updates_.make_final(home, std::move(diffs), false);
    own.push_back({{home}, encode(context_.epoch, Updates{final.updates()})});
  }
  exchanges_.finals.send(std::move(own));
}

// What threads outside the team wrote after their node had arrived, and released, is on its way to
// homes. A final update of their node to every other comes after it.
void EpochTurn::expect_finals_of(const std::vector<NodeId>& others, Work& work) {
  if (WEFT_BUG(kOthersWithoutFinals)) return;
  for (const NodeId node : others) {
    if (!context_.is_self(node)) {
      expected_.insert(node);
      continue;
    }
    for (NodeId to; to.value() < context_.config.node_count; ++to) {
      if (to != node) work.finals.try_emplace(to);
    }
  }
}

// The rule that every node applies alike. A thread outside the team may have written its node's own
// page since the arrival, unseen, or an update of such a write may be on its way: the home stays.
NodeId EpochTurn::next_home(const HomeFacts& entry, const std::vector<NodeId>& writers,
                            bool replaced) const {
  if (WEFT_BUG(kMoveHomeOfTwoWriters)) return writers.front();
  if (with_others_ && !WEFT_BUG(kMoveHomeFromOthers)) return entry.home;
  return choose_home(entry, writers, replaced, context_.config.home_policy);
}

void EpochTurn::turn(const WrittenRun& segment, Work& work) {
  table_.note_written(
      segment.pages,
      [&](Page& entry, PageIndex page) {
        if (!entry.has_known_home()) return lose(entry, page, kNoNode, false, work);
        turn_page(entry, page, segment, work);
      },
      [&](HomeFacts facts) {
        const std::vector<NodeId> writers = writers_of(segment, facts.home);
        facts.home = next_home(facts, writers, segment.replaced);
        note_writers(facts, writers);
        return facts;
      });
}

void EpochTurn::turn_page(Page& entry, PageIndex page, const WrittenRun& segment, Work& work) {
  const std::vector<NodeId> writers = writers_of(segment, entry.home);
  const bool wrote = std::ranges::binary_search(writers, context_.config.self);
  const NodeId home = next_home(entry, writers, segment.replaced);
  entry.use.note_written(entry, writers);
  exposure_.withdraw(page);
  note_writers(entry, writers);
  if (wrote) count_links(home, writers);
  offers_.note_written(page, home, writers, work.tree);
  WEFT_PROBE_IF(segment.replaced && context_.is_self(home) && !entry.is_home(), context_,
                kReplacedPage);
  if (context_.is_self(home)) return take(entry, page, writers, work);
  if (wrote && home != coherence_.early_home()) work.finals.try_emplace(home);
  if (wrote && writers.size() == 1) {
    keep(entry, page, work);
  } else {
    lose(entry, page, home, wrote, work);
  }
}

// A page that this node wrote.
void EpochTurn::count_links(NodeId home, const std::vector<NodeId>& writers) {
  if (!context_.config.shapes_tree()) return;
  if (writers.size() == 1 && !context_.is_self(home)) context_.links.note_sent(home);
  for (const NodeId writer : writers) {
    if (!context_.is_self(writer)) context_.links.note_shared(writer);
  }
}

// This node is the page's home in the next epoch. Nobody else has a copy, or its only writer alone.
void EpochTurn::take(Page& entry, PageIndex page, const std::vector<NodeId>& writers, Work& work) {
  for (const NodeId writer : writers) {
    if (context_.is_self(writer)) continue;
    expected_.insert(writer);
    if (!received_.contains(writer)) pusher_.note_incomplete(page);
  }
  if (context_.config.release_policy == ReleasePolicy::kEager) holders_.know_all_of(page);
  entry.stale_since = context_.epoch.plus(1);
  pusher_.note_written_here(page, writers.size() == 1 ? writers.front() : kNoNode);
  if (writers.size() == 1 && !context_.is_self(writers.front()) && !WEFT_BUG(kKeptCopyUnwatched)) {
    // The writer keeps its copy.
    if (entry.state == PageState::kExclusive && entry.mapped) work.track.add(page);
    table_.turn(entry, page, PageEvent::kKept);
    ++context_.counters.homes_kept;
    WEFT_PROBE(context_, kKeptCopy);
    holders_.reset(page, writers.front());
    return;
  }
  const bool comes = !entry.is_home();
  if (comes) {
    WEFT_ASSERT(entry.mapped, "page {} moves to node {}, which has no copy", page.value(),
                context_.config.self.value());
    pusher_.note_taken(page);
    entry.home = context_.config.self;
    entry.home_since = context_.epoch.plus(1);
    ++context_.counters.homes_moved;
    WEFT_PROBE(context_, kHomeMove);
  }
  if (entry.state == PageState::kExclusive) return;
  const bool others_have_it = holders_.outlive_notice(page);
  if (pusher_.note_carried(page) || others_have_it) return;
  // What is about to be pushed is shared at once, and watched as it was. A page that comes was
  // watched as a copy, with a twin: it is watched anew when it is given away.
  if (!comes && pusher_.is_due(page)) return table_.turn(entry, page, PageEvent::kHomeShared);
  // So is what will be given away soon: to have it watched by turns costs more.
  if (!comes && pusher_.is_given_often(page)) {
    holders_.expect_some(page);
    return table_.turn(entry, page, PageEvent::kHomeShared);
  }
  if (entry.mapped) work.untrack.add(page);
  table_.turn(entry, page, PageEvent::kHomeAlone);
}

// This node alone wrote the page, and is not to be its home: its copy is what the home will have.
// But what a thread outside the team wrote late may have taken it away since.
void EpochTurn::keep(const Page& entry, PageIndex page, Work& work) {
  WEFT_ASSERT(entry.mapped || with_others_, "node {} wrote page {} and has no copy",
              context_.config.self.value(), page.value());
  if (entry.mapped && !WEFT_BUG(kKeepWithoutUpdate)) work.leaving.push_back({page, true});
}

void EpochTurn::lose(Page& entry, PageIndex page, NodeId home, bool owed, Work& work) {
  if (entry.mapped) {
    work.unmap.add(page);
    if (!entry.is_home()) work.leaving.push_back({page, owed});
    ++context_.counters.pages_invalidated;
  }
  if (entry.mapped || entry.is_home() || entry.is_held_back()) work.drop.add(page);
  if (entry.is_home()) {
    holders_.forget(page);
    open_.close(PageRange{page, 1});
  }
  pusher_.note_lost(page, entry.home, home);
  table_.turn(entry, page, PageEvent::kLost);
  entry.home = home;
  entry.request = 0;
  entry.owed = true;
  entry.stale_since = context_.epoch.plus(1);
  if (std::exchange(entry.wanted, false)) wanted_.push_back(page);
}

// Nobody has written these pages in the epoch that ends: every copy is what the home has.
void EpochTurn::move(PageRange pages, NodeId home, Work& work) {
  table_.note_written(
      pages,
      [&](Page& entry, PageIndex page) {
        if (entry.has_known_home()) move_page(entry, page, home, work);
      },
      [home](HomeFacts facts) {
        facts.home = home;
        return facts;
      });
}

void EpochTurn::move_page(Page& entry, PageIndex page, NodeId home, Work& work) {
  exposure_.withdraw(page);
  pusher_.note_taken_over(page);
  if (entry.is_home()) return lose(entry, page, home, false, work);
  offers_.forget(page);
  entry.home = home;
  if (context_.is_self(home)) {
    WEFT_ASSERT(entry.mapped, "node {} is to be the home of page {} and has no copy", home.value(),
                page.value());
    // Who else has a copy, nobody knows. It stays watched as it was.
    table_.turn(entry, page, PageEvent::kTakenOver);
    entry.home_since = context_.epoch.plus(1);
    ++context_.counters.homes_taken_over;
    WEFT_PROBE(context_, kTakeOver);
    return;
  }
  // What was asked for will not be answered.
  if (!WEFT_BUG(kKeepRequestOfMoved)) entry.request = 0;
  if (entry.state == PageState::kInvalid && std::exchange(entry.wanted, false)) {
    wanted_.push_back(page);
  }
}

void EpochTurn::carry_out(Work& work) {
  for (const PageRange& range : work.untrack) access_.map_untracked(range);
  for (const PageRange& range : work.track) access_.start_tracking(range);
  for (const PageRange& range : work.unmap) access_.unmap(range);
  const std::set<NodeId> in_parts = long_finals(work);
  std::map<NodeId, DiffChunk> parts;
  for (const auto& [page, owed] : work.leaving) {
    const NodeId home = table_.at(page).home;
    if (owed && in_parts.contains(home)) {
      DiffChunk& part = parts[home];
      if (updates_.is_full(part)) send_part(home, part, WEFT_BUG(kPartAsFinal));
      updates_.append_diff(page, part);
      continue;
    }
    Bytes diff = updates_.make_diff(page);
    if (diff.empty()) continue;
    if (owed && home != coherence_.early_home()) {
      work.finals[home].emplace_back(page, std::move(diff));
    } else {
      // A thread outside the team wrote since this node arrived.
      WEFT_PROBE(context_, kLateDiff);
      writes_.late.keep(page, std::move(diff));
      table_.at(page).owed = false;  // what is pushed lacks it
    }
  }
  for (auto& [home, part] : parts) {
    if (part.sizes.empty()) continue;
    send_part(home, part, /*final=*/true);
    work.finals.erase(home);
  }
  for (const PageRange& range : work.drop) access_.drop(range);
}

// Homes to which this node owes more than a message of the barrier carries. That goes in parts,
// each before the next is made, so a node that owes much does not hold all of it.
std::set<NodeId> EpochTurn::long_finals(const Work& work) const {
  if (work.leaving.size() <= context_.config.barrier_pages) return {};
  std::map<NodeId, std::size_t> owed_pages;
  for (const auto& [page, owed] : work.leaving) {
    const NodeId home = table_.at(page).home;
    if (owed && home != coherence_.early_home()) ++owed_pages[home];
  }
  std::set<NodeId> homes;
  for (const auto& [home, pages] : owed_pages) {
    if (pages > context_.config.barrier_pages) homes.insert(home);
  }
  return homes;
}

void EpochTurn::send_part(NodeId home, DiffChunk& part, bool final) {
  WEFT_PROBE_IF(!final, context_, kLongFinal);
  updates_.send_part(home, part, final);
}

void EpochTurn::on_final(NodeId from) {
  received_.insert(from);
  WEFT_PROBE(context_, kFinal);
}

bool EpochTurn::has_finals() const {
  return std::ranges::includes(received_, expected_) || WEFT_BUG(kLeaveWithoutFinals);
}

void EpochTurn::push_if_ready() {
  const bool may_push = has_finals() || WEFT_BUG(kPushBeforeFinals);
  if (!may_push || std::exchange(has_pushed_, true)) return;
  // Whoever is pushed pages may read them here at once, though this node may wait for others'.
  context_.exposed.begin_epoch(context_.epoch.plus(1));
  pusher_.push();
}

std::vector<PageIndex> EpochTurn::begin_next_epoch() {
  expected_.clear();
  received_.clear();
  context_.memory.end_pause();
  context_.links.end_epoch(context_.config.barrier_pages);
#ifdef WEFT_DELIBERATE_BUGS
  context_.coverage.end_epoch();
#endif
  ++context_.epoch;
  context_.turn_barrier(BarrierEvent::kBegin);
  streams_.pause(false);
  coherence_.begin_epoch(is_publication_, with_others_);
  return std::exchange(wanted_, {});
}

}  // namespace weft
