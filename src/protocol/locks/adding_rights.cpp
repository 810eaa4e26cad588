// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of LockTable that is about sections which only add (protocol/locks.md, 26): the keeper,
// which has the token, lends other nodes the right to add under the lock, and takes it back as soon
// as somebody wants the lock itself.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/assert.hpp"
#include "protocol/interface/bugs.hpp"
#include "protocol/locks/lock_table.hpp"
#include "protocol/updates/completion.hpp"

namespace weft {
namespace {

constexpr std::uint32_t kMostPatience = 255;
constexpr std::uint32_t kMostRest = 64;

bool are_known(const AddingTargets& all, const AddingTargets& some) {
  return covers(all, some) || WEFT_BUG(kLendForAnyTarget);
}

}  // namespace

// --- threads of this node ---

void LockTable::acquire_adding(LockId id, const AddingTargets& targets, WaitId wait) {
  Lock& lock = at(id);
  if (!context_.config.may_lend() || targets.empty() || context_.sightings.has_looked()) {
    return acquire(id, wait);
  }
  likely_sums_.note(id, targets);
  if (lock.rights.own != 0 && are_known(lock.rights.targets, targets)) {
    return begin_by_right(lock, wait);
  }
  if (lock.is_here() && !lock.is_out()) {
    join_targets(lock.rights.targets, targets);
    return acquire(id, wait);
  }
  if (!lock.is_here() && lock.rights.own == 0 && lock.rights.left_out > 0) {
    --lock.rights.left_out;
    return acquire(id, wait);
  }
  lock.waiters.push_back({wait, targets});
  if (lock.token == TokenState::kLending) return recall_rights(id, lock);
  ask(id, lock, false);
}

// Its thread looks at what came with the right, or before.
void LockTable::begin_by_right(const Lock& lock, WaitId wait) {
  complete_when_settled(context_, streams_, step::CompleteAdding{wait, lock.rights.own});
}

AddingResult LockTable::use_right(LockId id, std::uint64_t right, const AddingSection& section) {
  const std::uint64_t number = WEFT_BUG(kUseAnyRight) ? at(id).rights.own : right;
  HeldRights::Right* const held = held_rights_.find(number);
  if (held == nullptr || context_.sightings.has_looked()) return AddingResult::kTakeLock;
  const auto is_known = [&](const AtomicRequest& update) {
    return held->covers(update) || WEFT_BUG(kLendForAnyTarget);
  };
  const auto is_sum = [&](const AddingInput& input) {
    return held->overlaps(input) && !WEFT_BUG(kUncheckedInputs);
  };
  if (std::ranges::any_of(section.inputs, is_sum)) return AddingResult::kTakeLock;
  // Who begins by a right that is shown does not know for which sums it is.
  if (!std::ranges::all_of(section.updates, is_known)) {
    (void)context_.effects.call_back(id);
    return AddingResult::kBeginAgain;
  }
  // By now all that came with it has settled.
  if (held->use()) context_.effects.show_right(id, number);
  ++context_.counters.sections_added;
  return AddingResult::kAdded;
}

void LockTable::begin_right(LockId id, Rights& rights) {
  rights.own = held_rights_.begin(id, rights.targets);
}

// How many sections of this node were done by the right.
std::uint32_t LockTable::take_back(LockId id, Lock& lock) {
  (void)context_.effects.call_back(id);
  if (lock.rights.own == 0) return 0;
  return held_rights_.end(std::exchange(lock.rights.own, 0));
}

// --- the keeper ---

// The manager waits for the result: only then does it know where the queue ends.
void LockTable::on_forward_adding(Lock& lock, const LockForward& request) {
  likely_sums_.note(request.lock, request.adding);
  const bool lends = may_lend(lock, request.adding);
  if (lends) {
    lend(lock, request);
  } else {
    queue(lock, request);
  }
  send_try_result({request.lock, !lends, request.asker});
}

bool LockTable::may_lend(const Lock& lock, const AddingTargets& adding) const {
  if (lock.token == TokenState::kLending) return are_known(lock.rights.targets, adding);
  return lock.free_here() && lock.next.empty();
}

// What the asker is told of what sections add to.
AddingTargets LockTable::lend_right(LockId id, Lock& lock, NodeId to, const AddingTargets& adding) {
  const bool is_first = lock.token == TokenState::kFree;
  if (is_first) join_targets(lock.rights.targets, adding);
  const AddingTargets likely =
      is_first || WEFT_BUG(kGuessWhileLent) ? likely_sums_.of(id) : AddingTargets();
  WEFT_PROBE_IF(!covers(lock.rights.targets, likely), context_, kLikelySum);
  if (!WEFT_BUG(kForgetLikely)) add_likely(lock.rights.targets, likely);
  if (is_first) begin_right(id, lock.rights);
  context_.turn(lock.token, TokenEvent::kLend, id.value());
  ++lock.rights.lent_to[to];
  ++context_.counters.rights_lent;
  AddingTargets told = lock.rights.targets;
  if (WEFT_BUG(kForgetLikely)) add_likely(told, likely);
  return told;
}

// Who adds to one point of a mesh soon adds to its neighbours.
std::vector<RightAhead> LockTable::lend_ahead(const LockForward& to) {
  std::vector<RightAhead> ahead;
  for (const LockId id : likely_sums_.behind(to.lock, context_.config.rights_ahead)) {
    Lock& lock = called_back(id);
    if (!may_lend(lock, {}) || lock.rights.lent_to.contains(to.asker)) continue;
    ahead.push_back({id, lend_right(id, lock, to.asker, {})});
    WEFT_PROBE(context_, kRightAhead);
    if (WEFT_BUG(kForgetAhead)) lock.rights.lent_to.erase(to.asker);
  }
  return ahead;
}

void LockTable::lend(Lock& lock, const LockForward& to) {
  AddingTargets told = lend_right(to.lock, lock, to.asker, to.adding);
  // All are called back before the interval closes: it has what was written under them.
  std::vector<RightAhead> ahead = lend_ahead(to);
  WEFT_PROBE(context_, kAddingRight);
  coherence_.learn_carried(to.wanted);
  coherence_.close_for_grant(pages_.carries());
  LockGrant grant;
  fill(grant, to);
  grant.targets = std::move(told);
  grant.is_right = true;
  grant.ahead = std::move(ahead);
  if (WEFT_BUG(kLendWithoutRecords)) grant.records.clear();
  context_.send(to.asker, Priority::kControl, grant);
}

// Whoever adds now finds that its right is gone.
void LockTable::recall_rights(LockId id, Lock& lock) {
  context_.turn(lock.token, TokenEvent::kRecall, id.value());
  take_back(id, lock);
  for (const auto& [node, rights] : lock.rights.lent_to) {
    ++context_.counters.rights_recalled;
    context_.send(node, Priority::kControl, RightRecall{id, coherence_.clock()});
  }
  if (!WEFT_BUG(kFreeUnreturned)) return;
  lock.rights.lent_to.clear();
  serve_returned(id, lock);
}

void LockTable::on_right_return(NodeId from, Epoch epoch, const RightReturn& message) {
  coherence_.apply(epoch, message.records);
  for (const LockId id : message.locks) {
    Lock& lock = at(id);
    // What was given back unasked may come after a request for the next one.
    const auto lent = lock.rights.lent_to.find(from);
    WEFT_ASSERT(lent != lock.rights.lent_to.end(), "lock {}: node {} has no right to give back",
                id.value(), from.value());
    if (--lent->second == 0 || WEFT_BUG(kReturnAll)) lock.rights.lent_to.erase(lent);
    if (!lock.rights.lent_to.empty() || !lock.is_out()) continue;
    // Unasked: nobody wants the lock, which from now on is this node's alone.
    if (lock.token == TokenState::kLending && !WEFT_BUG(kKeepOwnRight)) take_back(id, lock);
    serve_returned(id, lock);
  }
}

void LockTable::refuse_try(LockId id, NodeId asker) {
  context_.send(asker, Priority::kControl, LockBusy{id});
  send_try_result({id, false, asker});
}

// As when the lock is released here; a try of another node goes before what comes after it.
void LockTable::serve_returned(LockId id, Lock& lock) {
  context_.turn(lock.token, TokenEvent::kReturned, id.value());
  std::optional<NodeId> refused;
  if (!lock.next.empty() && lock.next.front().try_only) {
    const LockForward request = take_next(lock);
    if (lock.tries.empty()) {
      answer_try(request);
      if (!lock.is_here()) return;
    } else {
      refused = request.asker;
      if (WEFT_BUG(kRefuseEarly)) refuse_try(id, *refused);
    }
  }
  if (!lock.waiters.empty()) {
    hold_first(id, lock);
  } else if (!lock.tries.empty()) {
    hold_first_tried(id, lock);
  } else if (!lock.next.empty()) {
    return give(lock, take_next(lock));
  }
  // The lock is taken by now: its manager may have held up a request until it hears of the try.
  if (refused && !WEFT_BUG(kRefuseEarly)) refuse_try(id, *refused);
  fail_tries(lock);
}

// --- a node that has the right ---

// One is enough: a request was under way for what has come ahead.
void LockTable::begin_lent(NodeId from, LockId id, const AddingTargets& targets) {
  Rights& rights = at(id).rights;
  if (rights.own != 0) {
    if (WEFT_BUG(kKeepBoth)) return;
    return context_.send(from, Priority::kControl, RightReturn{{id}, {}});
  }
  rights.targets = targets;
  rights.keeper = from;
  begin_right(id, rights);
}

void LockTable::take_right(NodeId from, Lock& lock, const LockGrant& grant) {
  context_.turn(lock.request, RequestEvent::kGranted, grant.lock.value());
  begin_lent(from, grant.lock, grant.targets);
  for (const RightAhead& ahead : grant.ahead) begin_lent(from, ahead.lock, ahead.targets);
  if (WEFT_BUG(kShowUnsettled)) context_.effects.show_right(grant.lock, lock.rights.own);
  Queue<Waiter> others;
  for (Waiter& waiter : std::exchange(lock.waiters, {})) {
    if (!waiter.adding.empty() && are_known(grant.targets, waiter.adding)) {
      begin_by_right(lock, waiter.wait);
    } else {
      others.push_back(std::move(waiter));
    }
  }
  lock.waiters = std::move(others);
  if (!lock.waiters.empty()) ask(grant.lock, lock, false);
}

void LockTable::on_right_recall(NodeId from, Epoch epoch, const RightRecall& message) {
  Lock& lock = at(message.lock);
  Rights& rights = lock.rights;
  // It was given back unasked, and the keeper knows by now. An answer would be taken for the next
  // right's.
  if (rights.own == 0 && !WEFT_BUG(kReturnTwice)) return;
  const std::uint32_t uses = WEFT_BUG(kKeepRight) ? 0 : take_back(message.lock, lock);
  const bool has_paid = uses >= context_.config.right_uses;
  rights.patience = has_paid ? 0 : std::min(2 * rights.patience + 1, kMostPatience);
  rights.left_out = rights.patience;
  if (!WEFT_BUG(kReturnUnclosed)) coherence_.close_interval();
  context_.send(from, Priority::kControl,
                RightReturn{{message.lock}, coherence_.records_for(epoch, message.clock)});
}

// Who keeps the lock adds by a right as well, as long as another node has one; alone it would have
// the lock.
void LockTable::give_back_idle() {
  const std::uint32_t rest = context_.config.right_rest;
  if (rest == 0 || context_.epoch.value() % rest != 0 || context_.is_departing()) return;
  std::map<NodeId, std::vector<LockId>> idle;
  for (const auto& [id, looks] : held_rights_.look()) {
    Lock& lock = at(id);
    if (lock.is_here() || looks < lock.rights.rest) continue;
    lock.rights.rest = std::min(2 * lock.rights.rest, kMostRest);
    if (!WEFT_BUG(kUseGivenBack)) take_back(id, lock);
    idle[lock.rights.keeper].push_back(id);
    ++context_.counters.rights_given_back;
    WEFT_PROBE(context_, kRightGivenBack);
  }
  if (!idle.empty()) coherence_.close_interval();
  const VectorClock nothing(context_.config.node_count);
  for (auto& [keeper, locks] : idle) {
    context_.send(keeper, Priority::kControl,
                  RightReturn{std::move(locks), coherence_.records_for(context_.epoch, nothing)});
  }
}

}  // namespace weft
