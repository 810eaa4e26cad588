// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/pushing/pusher.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "protocol/interface/bugs.hpp"

namespace weft {
namespace {

// Pages in one message. Where several nodes get more than that, each is served a part at a time. It
// is two megabytes: a node waits for all that it is pushed, so there is nothing to gain by parts,
// and the transport cuts long messages into frames for the network.
constexpr std::size_t kPushPages = 512;

Rhythm rhythm_in(const Push& push, PageIndex page) {
  for (const PagesInRhythm& some : push.rhythms) {
    if (some.pages.contains(page)) return some.rhythm;
  }
  return {};
}

}  // namespace

// --- learning ---

PhaseKey Pusher::phase_at(NodeId home) const {
  const bool is_early = std::ranges::find(early_homes_, home) != early_homes_.end();
  return is_early && before_ != PhaseKey() ? before_ : phase_;
}

Pusher::Promises Pusher::subscribe(NodeId consumer, Epoch asked, PhaseKey phase,
                                   const std::vector<PageIndex>& pages) {
  // An asker of an older epoch has lost what it is being sent, or is about to.
  if (phase == PhaseKey() || asked != context_.epoch) return {{Promise(), pages}};
  Promises promises;
  for (const PageIndex page : pages) {
    const std::optional<Rhythm> rhythm = table_here_.subscribe(consumer, phase, page);
    promises[rhythm ? Promise{phase, *rhythm} : Promise()].push_back(page);
  }
  return promises;
}

void Pusher::subscribed(PageIndex page, const Promise& promise, NodeId home) {
  if (promise.phase == PhaseKey()) return;
  subscriptions_.add(page, promise.phase, home, promise.rhythm);
}

PageSet Pusher::note_touched(PageIndex page) {
  PageSet used;
  for (const PageRange& range : subscriptions_.shown_by(page).ranges()) {
    for_each_page(range, [&](PageIndex each) {
      if (!table_.at(each).is_held_back()) return;  // lost since, by a lock's records
      used.insert(each);
      subscriptions_.note_used(each);
    });
  }
  return used;
}

// --- the turn of an epoch ---

void Pusher::begin_turn(PhaseKey next, std::vector<NodeId> early_homes) {
  early_homes_ = std::move(early_homes);
  before_ =
      std::exchange(phase_, context_.config.push_policy == PushPolicy::kOff ? PhaseKey() : next);
  // Pages held back that a lock's records made invalid before anybody touched them.
  std::vector<PageIndex> lost;
  for (const auto& [page, phase] : subscriptions_.held()) {
    if (table_.at(page).state == PageState::kInvalid) lost.push_back(page);
  }
  for (const PageIndex page : lost) {
    const NodeId home = table_.at(page).home;
    note_lost(page, home, home);
  }
}

void Pusher::note_lost(PageIndex page, NodeId home_before, NodeId home) {
  const bool moved = home != home_before;
  if (moved) table_here_.page_moved(page);
  if (const auto phase = subscriptions_.take_unused(page)) {
    ++context_.counters.pushes_unused;
    if (subscriptions_.doubt(page, *phase)) unused_[{home_before, *phase}].insert(page);
  }
  subscriptions_.page_lost(page, home, moved);
  expected_.erase(page);  // what may still come is from before this write
}

void Pusher::expect_pushes() {
  for (const PageRange& range : subscriptions_.take_due(phase_).ranges()) {
    for_each_page(range, [&](PageIndex page) {
      const Page& entry = table_.at(page);
      // What was asked for comes; what an acquire took away since is not pushed again.
      if (entry.state == PageState::kInvalid && entry.owed && entry.request == 0) {
        expected_.insert(page);
      }
    });
  }
}

bool Pusher::note_carried(PageIndex page) {
  bool is_carried = false;
  for (const auto& [consumer, pages] : carried_) {
    if (!pages.contains(page)) continue;
    table_here_.note_sent(consumer, page);
    is_carried = true;
    if (!WEFT_BUG(kForgetCarried)) holders_.note(page, consumer);
  }
  return is_carried && !WEFT_BUG(kForgetCarried);
}

Push Pusher::take_for(NodeId consumer, bool goes_at_once) {
  if (WEFT_BUG(kCarryIncomplete)) incomplete_.clear();
  const EngineConfig& config = context_.config;
  const bool carries_to_reader = !goes_at_once && readers_.contains(consumer);
  PushTable::Due due =
      table_here_.take_due_of(consumer, phase_, incomplete_,
                              carries_to_reader ? config.carried_to_readers : config.barrier_pages);
  share(consumer, due.pages);
  count_links(consumer, due.pages);
  Push push{.phase = phase_, .ended = std::move(due.ended)};
  for (const PageIndex page : due.pages) {
    push.pages.push_back(goes_at_once ? pushed({consumer}, page)
                                      : PageBytes{page, access_.shown_contents(page)});
  }
  add_rhythms(consumer, push);
  context_.counters.pages_pushed += due.pages.size();
  WEFT_PROBE_IF(!due.pages.empty(), context_, kPushDown);
  return push;
}

void Pusher::push() {
  incomplete_.clear();
  carried_.clear();
  DueByNode due = table_here_.take_due(phase_);
  for (const auto& [consumer, what] : due) {
    share(consumer, what.pages);
    count_links(consumer, what.pages);
  }
  const bool is_exchanged = exchanges_.pushes.is_under_way();
  if (is_exchanged || exchanges_.choice.is_counted(due.size())) {
    const Shared shared = shared_of(due);
    count_load(due, shared);
    if (is_exchanged) exchange(due, shared);
  }
  if (!is_exchanged) send_chunks(std::move(due));
  send_unsubscriptions();
  if (phase_ != PhaseKey()) beginnings_.count(phase_);
}

void Pusher::add_rhythms(NodeId consumer, Push& push) const {
  std::map<Rhythm, PageSet> pages;
  for (const PageBytes& page : push.pages) {
    const Rhythm rhythm = table_here_.rhythm_of(consumer, push.phase, page.page);
    if (rhythm != Rhythm()) pages[rhythm].insert(page.page);
  }
  WEFT_PROBE_IF(!pages.empty(), context_, kRhythm);
  for (auto& [rhythm, some] : pages) push.rhythms.push_back({rhythm, std::move(some)});
}

// What several have written counts as theirs alone (EpochTurn).
void Pusher::count_links(NodeId consumer, const std::vector<PageIndex>& pages) {
  for (const PageIndex page : pages) {
    if (table_.at(page).last_writer != kNoNode) context_.links.note_sent(consumer);
  }
}

void Pusher::share(NodeId consumer, const std::vector<PageIndex>& pages) {
  PageSet untracked;
  for (const PageIndex page : pages) {
    Page& entry = table_.at(page);
    WEFT_ASSERT(entry.is_home(), "node {} pushes page {}, homed at {}",
                context_.config.self.value(), page.value(), entry.home.value());
    holders_.note(page, consumer);
    if (entry.state != PageState::kExclusive || WEFT_BUG(kPushWithoutTracking)) continue;
    table_.turn(entry, page, PageEvent::kGivenAway);
    if (entry.mapped) untracked.insert(page);
  }
  for (const PageRange& range : untracked.ranges()) access_.start_tracking(range);
}

// What is lent may be read while a thread here writes it, and then writes back what was there.
// Where diffs are made of this home's writes nobody must see that, as no diff has it. A lock's home
// asks once for what belongs to the lock, and must not lose it for having been lent it.
bool Pusher::may_lend(PageIndex page) const {
  return !access_.has_home_twin(page) && !gives_locks_homes(context_.config.lock_policy);
}

bool Pusher::is_read_here(const std::vector<NodeId>& consumers, PageIndex page) const {
  return may_lend(page) && std::ranges::all_of(consumers, [this](NodeId consumer) {
           return readers_.contains(consumer);
         });
}

PageBytes Pusher::pushed(const std::vector<NodeId>& consumers, PageIndex page) const {
  return {page, is_read_here(consumers, page) ? ByteView() : access_.shown_contents(page)};
}

// A chunk to each consumer in turn, so that none waits for all that another gets.
void Pusher::send_chunks(DueByNode due) {
  for (std::size_t first = 0; !due.empty(); first += kPushPages) {
    for (auto& [consumer, what] : due) {
      Push message{.phase = phase_, .ended = std::exchange(what.ended, {})};
      const std::size_t end = std::min(what.pages.size(), first + kPushPages);
      for (std::size_t index = first; index < end; ++index) {
        message.pages.push_back(pushed({consumer}, what.pages[index]));
      }
      add_rhythms(consumer, message);
      ++context_.counters.pushes_sent;
      WEFT_PROBE(context_, kPush);
      context_.counters.pages_pushed += message.pages.size();
      context_.send(consumer, Priority::kData, message);
    }
    std::erase_if(due,
                  [&](const auto& each) { return each.second.pages.size() <= first + kPushPages; });
  }
}

void Pusher::send_unsubscriptions() {
  for (auto& [from, pages] : std::exchange(unused_, {})) {
    WEFT_PROBE(context_, kUnsubscribe);
    context_.send(from.first, Priority::kControl, Unsubscribe{from.second, std::move(pages)});
  }
}

// --- messages ---

bool Pusher::has_all() const {
  return expected_.empty() || context_.config.push_policy == PushPolicy::kJoin;
}

bool Pusher::may_install(const Page& entry, NodeId from, Epoch epoch) const {
  if (entry.state != PageState::kInvalid || entry.home != from) return false;
  // Not if this node knows of a write since: an acquire has told it, or a notice.
  return (entry.owed && epoch.plus(1) >= entry.stale_since) || WEFT_BUG(kInstallStalePush);
}

bool Pusher::install(Page& entry, PageIndex page, const Promise& promise, NodeId from) {
  ++context_.counters.pushes_taken;
  WEFT_PROBE(context_, kPushTaken);
  // It was asked for meanwhile, and comes twice.
  if (entry.request != 0) ++context_.counters.pushes_late;
  if (!WEFT_BUG(kPushKeepsVersion)) vectors_.forget_version(page);
  const bool awaited = std::exchange(entry.wanted, false);
  table_.turn(entry, page, PageEvent::kPushed);
  entry.request = 0;
  entry.owed = false;
  // The home knows of the subscription; the reply that would have said so came too late here.
  subscriptions_.add(page, promise.phase, from, promise.rhythm);
  const bool may_hold = !awaited && !context_.config.pushes_for_good;
  const bool hold = subscriptions_.hold_back(page, promise.phase, may_hold);
  context_.counters.pushes_held += hold ? 1 : 0;
  WEFT_PROBE_IF(hold, context_, kPushHeldBack);
  return !hold;
}

PageSet Pusher::to_read(NodeId from, Epoch epoch, const Push& message) const {
  PageSet pages;
  for (const PageBytes& bytes : message.pages) {
    if (bytes.bytes.empty() && may_install(table_.at(bytes.page), from, epoch)) {
      pages.insert(bytes.page);
    }
  }
  return pages;
}

// It does not come any more, and the home takes it to be here. Returns whether a thread waits for
// it, and it is not asked for.
bool Pusher::give_up(Page& entry, PageIndex page) {
  expected_.erase(page);
  if (!WEFT_BUG(kOweUnread)) entry.owed = false;
  return entry.request == 0 && std::exchange(entry.wanted, false);
}

Pusher::Taken Pusher::take(NodeId from, Epoch epoch, const Push& message, const PageSet& unread) {
  Taken taken;
  for (const PageBytes& bytes : message.pages) {
    const PageIndex page = bytes.page;
    Page& entry = table_.at(page);
    const bool is_right = may_install(entry, from, epoch);
    if (!is_right || unread.contains(page)) {
      ++context_.counters.pushes_refused;
      WEFT_PROBE(context_, kPushRefused);
      if (is_right && give_up(entry, page)) taken.wanted.push_back(page);
      continue;
    }
    expected_.erase(page);
    if (!bytes.bytes.empty()) context_.memory.install(page, bytes.bytes);
    entry.lent = bytes.bytes.empty();
    if (install(entry, page, {message.phase, rhythm_in(message, page)}, from)) {
      taken.mapped.add(page);
    }
  }
  for (const PageRange& range : taken.mapped) access_.map_tracked(range, Twin::kPresent);
  std::ranges::move(end_pushes(from, message), std::back_inserter(taken.wanted));
  return taken;
}

void Pusher::add_own(PageIndex page, ByteView diff) {
  const Page& entry = table_.at(page);
  if (entry.state != PageState::kValid) return;  // it was refused
  WEFT_PROBE(context_, kOwnAdded);
  if (entry.mapped) {
    context_.memory.patch_diff(page, diff);
  } else {
    context_.memory.apply_diff(page, diff);
  }
}

std::vector<PageIndex> Pusher::end_pushes(NodeId from, const Push& message) {
  std::vector<PageIndex> wanted;
  for (const PageRange& range : message.ended.ranges()) {
    for_each_page(range, [&](PageIndex page) {
      subscriptions_.end(page, message.phase, from);
      expected_.erase(page);
      Page& entry = table_.at(page);
      if (entry.request == 0 && std::exchange(entry.wanted, false)) wanted.push_back(page);
    });
  }
  return wanted;
}

void Pusher::on_unsubscribe(NodeId from, const Unsubscribe& message) {
  for (const PageRange& range : message.pages.ranges()) {
    for_each_page(range,
                  [&](PageIndex page) { table_here_.unsubscribe(from, message.phase, page); });
  }
}

}  // namespace weft
