// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks (protocol/locks.md, 9). A lock is a token; the node that has it passes it among its own
// threads at no cost; while nobody else asks for it they do so without the engine (23). Between
// nodes there is a distributed queue: the manager knows its tail alone, each node in it knows the
// next.
#pragma once

#include <deque>
#include <map>
#include <optional>

#include "protocol/context/context.hpp"
#include "protocol/intervals/coherence.hpp"
#include "protocol/locks/lock_pages.hpp"
#include "protocol/locks/lock_states.hpp"
#include "protocol/locks/page_bindings.hpp"

namespace weft {

class LockTable {
 public:
  LockTable(Context& context, Coherence& coherence, UpdateStreams& streams, LockPages& pages,
            PageBindings& bindings, EagerReleases& releases)
      : context_(context),
        coherence_(coherence),
        streams_(streams),
        pages_(pages),
        bindings_(bindings),
        releases_(releases) {}

  void acquire(LockId lock, WaitId wait);
  void try_acquire(LockId lock, WaitId wait);
  void release(LockId lock);

  void on_request(NodeId from, Epoch epoch, const LockRequest& message);
  void on_forward(const LockForward& message);
  // Such a message has come, and waits for the next epoch.
  void call_back(LockId lock) { (void)called_back(lock); }
  // A grant comes. The first of two steps: acquires what it brings (Coherence::acquire). Its diffs
  // are to be taken before the second, in which this node has the lock.
  [[nodiscard]] std::optional<Coherence::Acquired> acquire_with(Epoch epoch,
                                                                const LockGrant& message);
  void on_grant(NodeId from, Epoch epoch, const LockGrant& message);
  void on_busy(const LockBusy& message);
  void on_try_result(const LockTryResult& message);
  // The token goes to this node: what was released before is complete.
  void grant(const LockForward& to);

  // --- locks with homes (lock_homes.cpp) ---
  void on_claim_reply(const PageClaimReply& reply);

 private:
  struct Lock {
    explicit Lock(TokenState start) : token(start) {}

    Machine<TokenStates> token;
    Machine<RequestStates> request{RequestState::kNone};  // a try is for tries.front()
    std::deque<WaitId> waiters;                           // this node's threads in handle_acquire
    std::deque<WaitId> tries;                             // and in handle_try_acquire
    std::deque<LockForward> next;   // the node that gets the token after this one; at a lock's
                                    // home all that wait
    std::uint32_t passes = 0;       // local hand-overs while `next` waited
    std::uint32_t undisturbed = 0;  // releases since another node asked for it

    NodeId manager;  // of a lock with a home: where that is, as far as is known

    // At the manager alone:
    NodeId tail;                      // the node that has the token or gets it last
    bool try_out = false;             // a try was forwarded and its result is not known
    std::deque<LockForward> held_up;  // what came meanwhile
    NodeId moves_to = kNoNode;        // the lock's home, when the lock is next there and free
    NodeId given_to = kNoNode;        // while the lock, whose home this is, is away
    bool has_moved = false;

    [[nodiscard]] bool is_here() const { return token != TokenState::kAway; }
    [[nodiscard]] bool free_here() const { return token == TokenState::kFree && waiters.empty(); }
    [[nodiscard]] bool is_asked() const {
      return request == RequestState::kAsked || request == RequestState::kBoth;
    }
    [[nodiscard]] bool is_trying() const {
      return request == RequestState::kTrying || request == RequestState::kBoth;
    }
    [[nodiscard]] bool is_for_others() const { return !next.empty(); }
  };

  Lock& at(LockId lock);
  // The same; if this node's threads pass it on among themselves, the engine has it from now on.
  Lock& called_back(LockId lock);
  void entrust(LockId id, Lock& lock);
  [[nodiscard]] NodeId manager_of(LockId lock) const;
  void ask(LockId id, Lock& lock, bool try_only);
  void manage(LockForward request);
  void forward(NodeId to, const LockForward& request);
  // Gives the token away.
  void give(Lock& lock, const LockForward& to);
  void hold(LockId id, Lock& lock, WaitId wait);
  void hold_tried(LockId id, Lock& lock, WaitId wait);
  void hold_first(LockId id, Lock& lock);  // of those that wait here
  [[nodiscard]] bool has_homes() const;
  [[nodiscard]] bool stays(const Lock& lock) const;
  void manage_at_home(const LockForward& request);
  void answer_try_away(const LockForward& request);
  void queue_at_home(const LockForward& request);
  void answer_own_try(LockId id, Lock& lock);
  void go_home(LockId id, Lock& lock);
  void send_home(LockId id, Lock& lock, NodeId home);
  void on_returned(const LockGrant& message);
  void serve_next(LockId id, Lock& lock);
  // This lock, whose home this node is, should have its home there.
  void want_home_at(LockId lock, NodeId home);
  void move_home(LockId id, Lock& lock);
  void answer_try(const LockForward& request);
  void fail_tries(Lock& lock);

  Context& context_;
  Coherence& coherence_;
  UpdateStreams& streams_;
  LockPages& pages_;
  PageBindings& bindings_;
  EagerReleases& releases_;
  std::map<LockId, Lock> locks_;
};

}  // namespace weft
