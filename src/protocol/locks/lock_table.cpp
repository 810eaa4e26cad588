// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/locks/lock_table.hpp"

#include <bit>
#include <utility>

#include "base/locks/lock_ids.hpp"
#include "protocol/interface/bugs.hpp"
#include "protocol/updates/completion.hpp"

namespace weft {

NodeId LockTable::manager_of(LockId lock) const {
  return keeper_of(lock.value(), context_.config.node_count);
}

// Who has it keeps it until somebody else asks.
bool LockTable::stays(const Lock& lock) const {
  return !has_homes() || (context_.is_self(lock.manager) && lock.moves_to == kNoNode);
}

LockTable::Lock& LockTable::at(LockId id) {
  if (!recent_.empty()) {
    const auto& [known, lock] = recent_place(id);
    if (lock != nullptr && known == id) return *lock;
  }
  Lock& lock = find_or_make(id);
  if (recent_.size() < locks_.size()) recent_.assign(std::bit_ceil(locks_.size()), {});
  recent_place(id) = {id, &lock};
  return lock;
}

std::pair<LockId, LockTable::Lock*>& LockTable::recent_place(LockId id) {
  constexpr unsigned kWordBits = kLockKindBits + 3;
  return recent_[(id.value() >> kWordBits) & (recent_.size() - 1)];
}

// Programs begin at node 0, and it takes most locks first. So all are there, unless they have
// homes.
LockTable::Lock& LockTable::find_or_make(LockId id) {
  if (const auto known = locks_.find(id); known != locks_.end()) return known->second;
  const NodeId manager = manager_of(id);
  const NodeId start = has_homes() ? manager : NodeId(0);
  const bool is_here =
      context_.is_self(start) || (WEFT_BUG(kTwoTokens) && context_.is_self(manager));
  const TokenState here =
      context_.config.begins_entrusted() ? TokenState::kEntrusted : TokenState::kFree;
  Lock& lock = locks_.try_emplace(id, is_here ? here : TokenState::kAway).first->second;
  lock.manager = manager;
  lock.tail = start;
  return lock;
}

LockTable::Lock& LockTable::called_back(LockId id) {
  Lock& lock = at(id);
  if (lock.token != TokenState::kEntrusted || WEFT_BUG(kKeepEntrusted)) return lock;
  const bool is_held = context_.effects.call_back(id) && !WEFT_BUG(kCallBackAsFree);
  context_.turn(lock.token, is_held ? TokenEvent::kFoundHeld : TokenEvent::kFoundFree, id.value());
  if (is_held) pages_.note_held(id);
  return lock;
}

// Threads that wait for it come again: the lock is handed to none of them, since all others would
// wait until that one is awake.
bool LockTable::entrust(LockId id, Lock& lock) {
  if (++lock.undisturbed < context_.config.entrust_proof) return false;
  if (!context_.config.may_entrust() || !context_.effects.entrust(id)) return false;
  context_.turn(lock.token, TokenEvent::kEntrust, id.value());
  for (const Waiter& waiter : std::exchange(lock.waiters, {})) {
    WEFT_PROBE(context_, kTryAgain);
    if (!WEFT_BUG(kEntrustForgetsWaiters)) context_.effects.try_again(waiter.wait);
  }
  return true;
}

// --- threads of this node ---

void LockTable::acquire(LockId id, WaitId wait) {
  Lock& lock = called_back(id);
  if (lock.free_here()) {
    ++context_.counters.lock_local_grants;
    return hold(id, lock, wait);
  }
  lock.waiters.push_back({wait, {}});
  if (lock.token == TokenState::kLending) return recall_rights(id, lock);
  ask(id, lock, false);
}

void LockTable::try_acquire(LockId id, WaitId wait) {
  Lock& lock = called_back(id);
  if (lock.free_here()) {
    ++context_.counters.lock_local_grants;
    return hold_tried(id, lock, wait);
  }
  if (lock.is_out() && lock.waiters.empty()) {
    lock.tries.push_back(wait);
    if (lock.token == TokenState::kLending) recall_rights(id, lock);
    return;
  }
  // Held here, or a thread of this node waits for it: not free. A request alone says nothing: if
  // the lock's home has come here, who made it may have had the lock meanwhile.
  const bool is_awaited = WEFT_BUG(kTryFailsWhileAsked) ? lock.is_asked() : !lock.waiters.empty();
  if (lock.is_here() || is_awaited) return context_.effects.complete_try(wait, false);
  lock.tries.push_back(wait);
  WEFT_PROBE(context_, kTry);
  ask(id, lock, true);
}

void LockTable::release(LockId id) {
  Lock& lock = at(id);
  context_.turn(lock.token, TokenEvent::kReleased, id.value());
  pages_.note_released(id);
  coherence_.release_lock();
  const bool enough = lock.passes >= context_.config.lock_fairness && !WEFT_BUG(kUnfairLock);
  // Only a lock's home knows who waits for it.
  const bool may_be_awaited = !lock.next.empty() || !stays(lock);
  if (may_be_awaited && (lock.waiters.empty() || enough)) {
    if (has_homes()) return go_home(id, lock);
    give(lock, take_next(lock));
    if (!lock.waiters.empty()) ask(id, lock, false);
  } else if (may_be_awaited && !WEFT_BUG(kEntrustAwaited)) {
    ++lock.passes;
    ++context_.counters.lock_local_grants;
    hold_first(id, lock);
  } else if (!entrust(id, lock) && !lock.waiters.empty()) {
    ++context_.counters.lock_local_grants;
    hold_first(id, lock);
  }
}

void LockTable::hold(LockId id, Lock& lock, WaitId wait) {
  context_.turn(lock.token, TokenEvent::kTaken, id.value());
  pages_.note_held(id);
  complete_when_settled(context_, streams_, step::Complete{wait});
}

void LockTable::hold_tried(LockId id, Lock& lock, WaitId wait) {
  context_.turn(lock.token, TokenEvent::kTaken, id.value());
  pages_.note_held(id);
  complete_when_settled(context_, streams_, step::CompleteTry{wait});
}

void LockTable::hold_first_tried(LockId id, Lock& lock) {
  const WaitId wait = lock.tries.front();
  lock.tries.pop_front();
  hold_tried(id, lock, wait);
}

LockForward LockTable::take_next(Lock& lock) {
  LockForward next = std::move(lock.next.front());
  lock.next.pop_front();
  return next;
}

void LockTable::hold_first(LockId id, Lock& lock) {
  const auto [wait, adding] = std::move(lock.waiters.front());
  lock.waiters.pop_front();
  join_targets(lock.rights.targets, adding);
  hold(id, lock, wait);
}

void LockTable::ask(LockId id, Lock& lock, bool try_only) {
  // One at a time: whatever comes back, those who wait for it are looked after then.
  if (lock.is_here() || lock.is_trying() || (lock.is_asked() && !try_only)) return;
  context_.turn(lock.request, try_only ? RequestEvent::kTry : RequestEvent::kAsk, id.value());
  ++context_.counters.lock_remote_requests;
  WEFT_PROBE(context_, kRemoteLock);
  const NodeId manager = lock.manager;
  PageSet wanted = pages_.wanted(id);
  PageSet absent = pages_.absent_of(wanted);
  // Who has the right already wants more than that.
  AddingTargets adding;
  if (!try_only && lock.rights.own == 0) adding = lock.waiters.front().adding;
  if (context_.is_self(manager)) {
    manage({.lock = id,
            .try_only = try_only,
            .asker = context_.config.self,
            .asker_epoch = context_.epoch,
            .clock = coherence_.clock(),
            .wanted = std::move(wanted),
            .absent = std::move(absent),
            .adding = std::move(adding)});
  } else {
    context_.send(manager, Priority::kControl,
                  LockRequest{.lock = id,
                              .try_only = try_only,
                              .clock = coherence_.clock(),
                              .wanted = std::move(wanted),
                              .absent = std::move(absent),
                              .adding = std::move(adding)});
  }
}

// --- the manager ---

void LockTable::on_request(NodeId from, Epoch epoch, const LockRequest& message) {
  manage({.lock = message.lock,
          .try_only = message.try_only,
          .asker = from,
          .asker_epoch = epoch,
          .clock = message.clock,
          .wanted = message.wanted,
          .absent = message.absent,
          .adding = message.adding});
}

void LockTable::manage(LockForward request) {
  if (has_homes()) return manage_at_home(request);
  Lock& lock = at(request.lock);
  if (lock.try_out) {
    // Where the queue ends is not known until the result is.
    lock.held_up.push_back(std::move(request));
    return;
  }
  const NodeId last = lock.tail;
  if (request.try_only || !request.adding.empty()) {
    lock.try_out = true;
  } else {
    lock.tail = request.asker;
  }
  forward(last, request);
}

void LockTable::forward(NodeId to, const LockForward& request) {
  if (context_.is_self(to)) {
    on_forward(request);
  } else {
    context_.send(to, Priority::kControl, request);
  }
}

void LockTable::on_try_result(const LockTryResult& result) {
  Lock& lock = at(result.lock);
  lock.try_out = false;
  if (result.granted) lock.tail = result.asker;
  Queue<LockForward> requests = std::exchange(lock.held_up, {});
  // A further try among them holds up the rest again, in their order.
  for (LockForward& request : requests) manage(std::move(request));
}

// --- the node that has the token, or gets it before the asker ---

void LockTable::on_forward(const LockForward& request) {
  Lock& lock = called_back(request.lock);
  lock.undisturbed = 0;
  if (has_homes() && !context_.is_self(lock.manager)) {
    return request.try_only ? answer_try_away(request) : forward(lock.manager, request);
  }
  if (has_homes()) return queue_at_home(request);
  if (!request.adding.empty()) return on_forward_adding(lock, request);
  queue(lock, request);
}

void LockTable::queue(Lock& lock, const LockForward& request) {
  if (request.try_only && !lock.is_out()) return answer_try(request);
  WEFT_ASSERT(lock.next.empty(), "lock {}: nodes {} and {} are both next", request.lock.value(),
              lock.next.front().asker.value(), request.asker.value());
  if (lock.free_here()) {
    give(lock, request);
  } else {
    lock.next.push_back(request);
    if (lock.token == TokenState::kLending) recall_rights(request.lock, lock);
  }
}

void LockTable::answer_try(const LockForward& request) {
  Lock& lock = at(request.lock);
  const bool is_free = lock.free_here() || (WEFT_BUG(kTryTakesHeldLock) && lock.is_here());
  const bool granted = is_free && lock.next.empty();
  if (granted) {
    give(lock, request);
  } else {
    context_.send(request.asker, Priority::kControl, LockBusy{request.lock});
  }
  if (has_homes()) return;
  send_try_result({request.lock, granted, request.asker});
}

void LockTable::send_try_result(const LockTryResult& result) {
  const NodeId manager = manager_of(result.lock);
  if (context_.is_self(manager)) {
    on_try_result(result);
  } else {
    context_.send(manager, Priority::kControl, result);
  }
}

void LockTable::give(Lock& lock, const LockForward& to) {
  context_.turn(lock.token, TokenEvent::kGiven, to.lock.value());
  lock.passes = 0;
  lock.given_to = to.asker;
  if (context_.config.lock_policy == LockPolicy::kWeft) coherence_.learn_carried(to.wanted);
  coherence_.close_for_grant(pages_.carries());
  if (releases_.complete_or_keep(step::GrantLock{to})) grant(to);
}

void LockTable::grant(const LockForward& to) {
  ++context_.counters.lock_grants_sent;
  LockGrant grant;
  fill(grant, to);
  grant.targets = at(to.lock).rights.targets;
  context_.send(to.asker, Priority::kControl, grant);
}

void LockTable::fill(LockGrant& grant, const LockForward& to) {
  grant.lock = to.lock;
  grant.records = coherence_.records_for(to.asker_epoch, to.clock);
  grant.carried = coherence_.carried_with(grant.records);
  grant.home = at(to.lock).manager;
  grant.bound = bindings_.bound_to(to.lock);
  pages_.add_pages(grant, to);
}

// --- the asker ---

std::optional<Coherence::Acquired> LockTable::acquire_with(Epoch epoch, const LockGrant& message) {
  pages_.note_bound(message.bound);
  return coherence_.acquire(epoch, message.records, message.carried);
}

void LockTable::on_grant(NodeId from, Epoch epoch, const LockGrant& message) {
  Lock& lock = at(message.lock);
  pages_.take(from, epoch, message);
  if (message.returned) return on_returned(message);
  if (message.is_right) return take_right(from, lock, message);
  lock.rights.targets = message.targets;
  if (has_homes()) lock.manager = message.home;
  context_.turn(lock.token, TokenEvent::kCame, message.lock.value());
  const bool was_trying = lock.is_trying();
  context_.turn(lock.request, RequestEvent::kGranted, message.lock.value());
  if (was_trying) {
    hold_first_tried(message.lock, lock);
    return fail_tries(lock);
  }
  // They may have had it in the meantime, while this node was its home.
  if (lock.waiters.empty() && has_homes()) return go_home(message.lock, lock);
  hold_first(message.lock, lock);
}

void LockTable::on_busy(const LockBusy& message) {
  Lock& lock = at(message.lock);
  context_.turn(lock.request, RequestEvent::kBusy, message.lock.value());
  context_.effects.complete_try(lock.tries.front(), false);
  lock.tries.pop_front();
  if (!lock.waiters.empty()) {
    ask(message.lock, lock, false);
    fail_tries(lock);
  } else if (!lock.tries.empty()) {
    // What was found may be from before this thread's call: look again. The lock's home may have
    // moved here meanwhile, and the lock with it.
    if (lock.is_here() && !WEFT_BUG(kForgetTryAtNewHome)) return answer_own_try(message.lock, lock);
    ask(message.lock, lock, true);
  }
}

void LockTable::fail_tries(Lock& lock) {
  for (const WaitId wait : std::exchange(lock.tries, {})) {
    context_.effects.complete_try(wait, false);
  }
}

}  // namespace weft
