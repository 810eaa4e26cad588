// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks (protocol/locks.md, 9). A lock is a token; the node that has it passes it among its own
// threads at no cost; while nobody else asks for it they do so without the engine (23). Between
// nodes there is a distributed queue: the manager knows its tail alone, each node in it knows the
// next.
#pragma once

#include <list>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "protocol/context/context.hpp"
#include "protocol/intervals/coherence.hpp"
#include "protocol/locks/held_rights.hpp"
#include "protocol/locks/likely_sums.hpp"
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

  // --- sections that only add (adding_rights.cpp) ---
  void acquire_adding(LockId lock, const AddingTargets& targets, WaitId wait);
  // Whether the section may be done by this right, which is then counted and shown.
  [[nodiscard]] AddingResult use_right(LockId lock, std::uint64_t right,
                                       const AddingSection& section);
  void on_right_recall(NodeId from, Epoch epoch, const RightRecall& message);
  // As an epoch begins, now and then: rights that are not used any more.
  void give_back_idle();
  void on_right_return(NodeId from, Epoch epoch, const RightReturn& message);

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
  // Programs have locks by the thousand, each with four of them that are mostly empty: then a list
  // has no memory of its own.
  template <typename Item>
  using Queue = std::list<Item>;
  struct Waiter {
    WaitId wait;
    AddingTargets adding;  // of a section for which the right to add will do
  };
  struct Rights {
    AddingTargets targets;   // of which sections are known to add under the lock; the same
                             // as long as there is a right
    std::uint64_t own = 0;   // the number of the right by which this node adds; 0: it has none
    NodeId keeper;           // who has lent it
    std::uint32_t rest = 1;  // so many looks find it unused before it is given back
    // At the keeper, which has the token: how many rights each node has, or has had that are on
    // their way back.
    std::map<NodeId, std::uint32_t> lent_to;
    std::uint32_t left_out = 0;  // so many requests ask for the lock itself
    std::uint32_t patience = 0;  // that `left_out` begins with
  };
  struct Lock {
    explicit Lock(TokenState start) : token(start) {}

    Machine<TokenStates> token;
    Machine<RequestStates> request{RequestState::kNone};  // a try is for tries.front()
    Rights rights;
    Queue<Waiter> waiters;          // this node's threads in handle_acquire
    Queue<WaitId> tries;            // and in handle_try_acquire
    Queue<LockForward> next;        // the node that gets the token after this one; at a lock's
                                    // home all that wait
    std::uint32_t passes = 0;       // local hand-overs while `next` waited
    std::uint32_t undisturbed = 0;  // releases since another node asked for it

    NodeId manager;  // of a lock with a home: where that is, as far as is known

    // At the manager alone:
    NodeId tail;                 // the node that has the token or gets it last
    bool try_out = false;        // a try was forwarded and its result is not known
    Queue<LockForward> held_up;  // what came meanwhile
    NodeId moves_to = kNoNode;   // the lock's home, when the lock is next there and free
    NodeId given_to = kNoNode;   // while the lock, whose home this is, is away
    bool has_moved = false;

    [[nodiscard]] bool is_here() const { return token != TokenState::kAway; }
    // Here, but nodes add under it.
    [[nodiscard]] bool is_out() const {
      return token == TokenState::kLending || token == TokenState::kRecalling;
    }
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
  Lock& find_or_make(LockId id);
  std::pair<LockId, Lock*>& recent_place(LockId id);
  bool entrust(LockId id, Lock& lock);
  [[nodiscard]] NodeId manager_of(LockId lock) const;
  void ask(LockId id, Lock& lock, bool try_only);
  void manage(LockForward request);
  void forward(NodeId to, const LockForward& request);
  // Gives the token away.
  void give(Lock& lock, const LockForward& to);
  void hold(LockId id, Lock& lock, WaitId wait);
  void hold_tried(LockId id, Lock& lock, WaitId wait);
  void hold_first(LockId id, Lock& lock);  // of those that wait here
  void hold_first_tried(LockId id, Lock& lock);
  [[nodiscard]] static LockForward take_next(Lock& lock);
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
  void send_try_result(const LockTryResult& result);
  void fill(LockGrant& grant, const LockForward& to);

  // --- sections that only add (adding_rights.cpp) ---
  void begin_by_right(const Lock& lock, WaitId wait);
  void begin_right(LockId id, Rights& rights);
  std::uint32_t take_back(LockId id, Lock& lock);
  void on_forward_adding(Lock& lock, const LockForward& request);
  [[nodiscard]] bool may_lend(const Lock& lock, const AddingTargets& adding) const;
  AddingTargets lend_right(LockId id, Lock& lock, NodeId to, const AddingTargets& adding);
  std::vector<RightAhead> lend_ahead(const LockForward& to);
  void lend(Lock& lock, const LockForward& to);
  void begin_lent(NodeId from, LockId id, const AddingTargets& targets);
  void take_right(NodeId from, Lock& lock, const LockGrant& grant);
  void queue(Lock& lock, const LockForward& request);
  void recall_rights(LockId id, Lock& lock);
  void refuse_try(LockId id, NodeId asker);
  void serve_returned(LockId id, Lock& lock);
  void fail_tries(Lock& lock);

  Context& context_;
  Coherence& coherence_;
  UpdateStreams& streams_;
  LockPages& pages_;
  PageBindings& bindings_;
  EagerReleases& releases_;
  std::map<LockId, Lock> locks_;
  // Those used last: a program that has arrays of locks takes them one after the other.
  std::vector<std::pair<LockId, Lock*>> recent_;
  HeldRights held_rights_;
  LikelySums likely_sums_;
};

}  // namespace weft
