// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of LockTable that is about locks with homes (protocol/comparisons.md, 19): a lock goes
// back to its home when it is released, with what was written, and the home hands it to the next.
#include <utility>

#include "protocol/interface/bugs.hpp"
#include "protocol/locks/lock_table.hpp"

namespace weft {

bool LockTable::has_homes() const { return gives_locks_homes(context_.config.lock_policy); }

// The request is at the lock's home, or goes on to where that has moved.
void LockTable::manage_at_home(const LockForward& request) {
  Lock& lock = at(request.lock);
  if (!context_.is_self(lock.manager)) return forward(lock.manager, request);
  for (const auto& [directory, pages] : bindings_.consider(request.lock, request.wanted)) {
    const auto reply = bindings_.claim(directory, {request.lock, pages});
    if (reply) on_claim_reply(*reply);
  }
  on_forward(request);
}

// A page that the lock needs may belong to another node: the lock should move there.
void LockTable::on_claim_reply(const PageClaimReply& reply) {
  bindings_.bind(reply);
  if (context_.config.lock_policy == LockPolicy::kRmpLm && !reply.refused.empty()) {
    want_home_at(reply.lock, reply.refused.front().writer);
  }
}

void LockTable::queue_at_home(const LockForward& request) {
  Lock& lock = at(request.lock);
  if (request.try_only && lock.is_here() && context_.is_self(request.asker)) {
    context_.turn(lock.request, RequestEvent::kBusy, request.lock.value());
    return answer_own_try(request.lock, lock);
  }
  if (request.try_only && !lock.is_here()) return forward(lock.given_to, request);
  if (request.try_only) return answer_try(request);
  lock.next.push_back(request);
  if (lock.token == TokenState::kFree) serve_next(request.lock, lock);
}

// It came back here: to the lock's home, or to where that has moved meanwhile.
void LockTable::answer_own_try(LockId id, Lock& lock) {
  const WaitId wait = lock.tries.front();
  lock.tries.pop_front();
  if (lock.free_here() && lock.next.empty()) {
    hold_tried(id, lock, wait);
  } else {
    context_.effects.complete_try(wait, false);
  }
  fail_tries(lock);
  if (lock.token == TokenState::kFree) return serve_next(id, lock);
  if (!lock.waiters.empty()) ask(id, lock, false);
}

// A thread of this node has released it, and no other is to have it first.
void LockTable::go_home(LockId id, Lock& lock) {
  if (context_.is_self(lock.manager)) return serve_next(id, lock);
  send_home(id, lock, lock.manager);
  if (!lock.waiters.empty()) ask(id, lock, false);
}

// A try comes by where the lock was given to: that node has it still, or it is on its way home, and
// gets there before the try does.
void LockTable::answer_try_away(const LockForward& request) {
  const Lock& lock = at(request.lock);
  if (!lock.is_here()) return forward(lock.manager, request);
  context_.send(request.asker, Priority::kControl, LockBusy{request.lock});
}

void LockTable::send_home(LockId id, Lock& lock, NodeId home) {
  context_.turn(lock.token, TokenEvent::kGiven, id.value());
  lock.passes = 0;
  coherence_.close_interval(true);
  ++context_.counters.lock_grants_sent;
  LockGrant grant;
  grant.lock = id;
  if (!WEFT_BUG(kReturnWithoutRecords)) grant.records = coherence_.unsent_records(home);
  grant.carried = coherence_.carried_with(grant.records);
  grant.returned = true;
  grant.home = home;
  grant.bound = bindings_.bound_to(id);
  context_.send(home, Priority::kControl, grant);
}

void LockTable::on_returned(const LockGrant& message) {
  Lock& lock = at(message.lock);
  lock.has_moved |= !context_.is_self(lock.manager);
  lock.manager = context_.config.self;
  context_.turn(lock.token, TokenEvent::kCame, message.lock.value());
  serve_next(message.lock, lock);
}

// At the lock's home, where it is free.
void LockTable::serve_next(LockId id, Lock& lock) {
  if (lock.moves_to != kNoNode) return move_home(id, lock);
  if (lock.next.empty()) {
    if (!lock.waiters.empty()) hold_first(id, lock);
    return;
  }
  const LockForward request = take_next(lock);
  if (!context_.is_self(request.asker)) {
    give(lock, request);
    if (!lock.waiters.empty()) ask(id, lock, false);
    return;
  }
  context_.turn(lock.request, RequestEvent::kServedHere, id.value());
  serve_next(id, lock);
}

void LockTable::want_home_at(LockId id, NodeId home) {
  Lock& lock = at(id);
  if (lock.has_moved || !context_.is_self(lock.manager) || context_.is_self(home)) return;
  lock.moves_to = home;
  if (lock.token == TokenState::kFree) move_home(id, lock);
}

// Once for each lock, so that two of them cannot follow each other.
void LockTable::move_home(LockId id, Lock& lock) {
  const NodeId home = std::exchange(lock.moves_to, kNoNode);
  lock.has_moved = true;
  ++context_.counters.locks_moved;
  WEFT_PROBE(context_, kLockHomeMove);
  send_home(id, lock, home);
  lock.manager = home;
  lock.given_to = home;
  for (const LockForward& request : std::exchange(lock.next, {})) {
    if (!WEFT_BUG(kMoveWithoutQueue)) forward(home, request);
  }
  if (!lock.waiters.empty()) ask(id, lock, false);
}

}  // namespace weft
