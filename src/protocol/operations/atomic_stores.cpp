// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of Atomics that is about stores that nobody waits for (protocol/operations.md, 8).
#include "protocol/interface/bugs.hpp"
#include "protocol/operations/atomics.hpp"

namespace weft {

// Not in a barrier, where the notices are made; nor where a release is complete only when others
// have answered.
bool Atomics::may_go_unanswered(NodeId home, const step::StartAtomic& atomic) const {
  return atomic.request.operation == AtomicOperation::kStore &&
         context_.config.atomic_policy != AtomicPolicy::kEach && !releases_.is_on() &&
         (!writes_.late.has_arrived() || WEFT_BUG(kStoreInBarrier)) &&
         context_.stores.has_room(home);
}

// What the home must have before is in the stream before it, and among what the update is to
// follow.
void Atomics::send_store(NodeId home, const step::StartAtomic& atomic) {
  const AtomicRequest& store = atomic.request;
  ++context_.counters.stores_unanswered;
  WEFT_PROBE(context_, kUnansweredStore);
  // Counted now, since who acquires what this releases may find it, and again behind it: the next
  // record names the update.
  if (!WEFT_BUG(kAtomicWithoutNotice)) writes_.note_at_home(store.where.page());
  if (releases(atomic.ordering)) coherence_.close_interval();
  copies_.flush(store.where.page());
  AtomicStore message{.update = updates_.take_store(home, store),
                      .records = {},
                      .carried = {},
                      .current = false,
                      .wanted = needs_.untold(home)};
  if (releases(atomic.ordering)) put_released(home, message);
  context_.stores.note(home, store, message.update.sequence, context_.epoch);
  context_.send(home, Priority::kControl, message);
  context_.effects.complete_atomic(atomic.wait, {});
}

// As if the thread had waited: whoever looks for another thread's store does so behind its own,
// and behind those of others that happened before.
bool Atomics::confirm_before(NodeId home, const step::StartAtomic& atomic) {
  while (const auto first = context_.stores.beside(home)) {
    if (WEFT_BUG(kLookPastStores)) return false;
    if (coherence_.is_over(*first)) {
      context_.stores.forget(first->home);
      continue;
    }
    WEFT_PROBE(context_, kConfirmedStore);
    PendingAtomic pending = prepare(first->load, Ordering::kRelaxed);
    pending.next = atomic;
    send_ask(first->home, pending, atomic.wait, /*patient=*/false);
    return true;
  }
  return false;
}

}  // namespace weft
