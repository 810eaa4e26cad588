// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the engine does with messages: which it may handle now, which it sets aside, and the part of
// the engine that each is for.
#include <algorithm>
#include <utility>

#include "protocol/engine_state.hpp"
#include "protocol/interface/bugs.hpp"

namespace weft {

// Between two epochs only updates and pushes are handled: they are what the node waits for. What is
// pushed at the end of an epoch is of the next one.
bool Engine::State::may_handle(const MessageHeader& header) const {
  if (header.epoch > context.epoch) return false;
  if (header.type == MessageType::kPush || header.type == MessageType::kExchangeRound) {
    return context.is_departing() || header.epoch < context.epoch;
  }
  return !context.is_departing() || header.type == MessageType::kUpdate ||
         header.type == MessageType::kUpdatePart || header.type == MessageType::kUpdates ||
         header.type == MessageType::kAtomicStore;
}

// Whoever sends may wait for what this node holds.
void Engine::State::receive(NodeId from, ByteView message) {
  if (!WEFT_BUG(kHoldFromSenders)) context.send_held();
  WireReader wire(message);
  if (read_header(wire).type != MessageType::kTogether) return receive_one(from, message);
  // What goes down the tree together goes on together, if it can.
  context.holds_departures = true;
  for (const ByteView part : decode<Together>(wire).messages) receive_one(from, part);
  context.holds_departures = false;
  if (!WEFT_BUG(kHoldFromSubtree)) context.send_held();
}

void Engine::State::receive_one(NodeId from, ByteView message) {
  WireReader wire(message);
  const MessageHeader header = read_header(wire);
  if (!may_handle(header)) {
    messages_set_aside.push_back({from, Bytes(message.begin(), message.end())});
    // Nor do this node's threads pass the lock on meanwhile.
    if (header.type == MessageType::kLockForward) locks.call_back(decode<LockForward>(wire).lock);
    return;
  }
  dispatch(from, message);
  handle_what_was_set_aside();
  look_again();
}

// The operation could wait until node 0 publishes, and node 0 for the operation.
void Engine::State::wish_for_departure() {
  if (context.is_self(NodeId(0)) || WEFT_BUG(kWaitForPublication)) return;
  context.send(NodeId(0), Priority::kControl, DepartureWish{});
}

void Engine::State::handle_what_was_set_aside() {
  while (handle_one_set_aside()) {
  }
  while (!context.is_departing() && !is_at_rest() && !operations_set_aside.empty()) {
    WEFT_BEGIN(context, EngineInput::kSetAside);
    for (const Step& operation : std::exchange(operations_set_aside, {})) take(operation);
  }
}

void Engine::State::on_update(NodeId from, Epoch epoch, const Update& update) {
  // It may have come with a lock before.
  if (streams.has_applied({{from, update.sequence}}) && !WEFT_BUG(kUpdateTwice)) return;
  if (!updates_held.may_apply(from, update.sequence, update.after) && !WEFT_BUG(kUpdateOvertakes)) {
    ++context.counters.updates_held;
    WEFT_PROBE(context, kHeldUpdate);
    if (!update.merged.empty()) demand_before(update);
    return updates_held.keep(from, update.sequence, encode(epoch, update), update.after);
  }
  apply_update(from, epoch, update);
  Bytes kept;
  while (updates_held.take(from, kept)) {
    WireReader wire(kept);
    const Epoch kept_epoch = read_header(wire).epoch;
    apply_update(from, kept_epoch, decode<Update>(wire));
  }
}

// A thread may poll for what was promised, and nobody may know of what it has to follow.
void Engine::State::demand_before(const Update& update) {
  if (context.is_departing() || WEFT_BUG(kHoldPromises)) return;
  for (const StreamPosition& position : update.after) {
    if (streams.has_applied(std::vector<StreamPosition>{position})) continue;
    context.send(position.node, Priority::kControl, UpdateDemand{context.config.self});
  }
}

// The sender's updates in a message of the barrier, the final one last; or in one of their own.
void Engine::State::take_updates(NodeId from, Epoch epoch, const std::vector<Update>& updates) {
  for (const Update& update : updates) on_update(from, epoch, update);
}

// No record will say what the home lacks: others' copies go when it has all that was released.
void Engine::State::on_release(NodeId from, Epoch epoch, const Release& message) {
  take_updates(from, epoch, message.updates);
  const step::RecallCopies next{from, message.number, epoch, message.pages};
  const std::vector<StreamPosition> its_diffs{{from, message.last}};
  if (WEFT_BUG(kRecallBeforeDiffs) || streams.applied_or_keep(its_diffs, next)) go_on(next);
}

void Engine::State::on_recall(NodeId from, const Recall& message) {
  // Before what is asked for anew: the home takes what comes after the answer for a new copy.
  // Nobody here acquires anything in between.
  context.send(from, Priority::kControl, Recalled{message.id});
  copies.invalidate(message.pages);
}

void Engine::State::on_barrier(NodeId from, const MessageHeader& header, WireReader& wire) {
  if (header.type == MessageType::kBarrierArrive) {
    const auto message = decode<BarrierArrive>(wire);
    take_updates(from, header.epoch, message.updates);
    barrier.on_arrive(from, header.epoch, message);
  } else if (header.type == MessageType::kBarrierDepart) {
    const auto message = decode<BarrierDepart>(wire);
    take_updates(from, header.epoch, message.updates);
    barrier.on_depart(message);
  } else {
    const auto message = decode<Publish>(wire);
    take_updates(from, header.epoch, message.updates);
    barrier.on_publish(message);
  }
  begin_next_epoch_if_complete();
  barrier.end_message();
}

void Engine::State::apply_update(NodeId from, Epoch epoch, const Update& update) {
  home_updates.on_update(from, epoch, update);
  // One that came with an arrival, in vain since the page's home moved, may have been held since.
  const bool is_of_this_epoch = epoch == context.epoch || WEFT_BUG(kCountOldFinal);
  if (update.final && is_of_this_epoch) {
    turn.on_final(from);
    begin_next_epoch_if_complete();
  }
  take_applied();
}

void Engine::State::on_push(NodeId from, Epoch epoch, const Push& push) {
  fetcher.on_push(from, epoch, push);
  begin_next_epoch_if_complete();
}

// Others wait for what goes on from here, so that goes first.
void Engine::State::on_exchange_round(const ExchangeRound& message) {
  Exchange& exchange = exchanges.of(message.kind);
  exchange.pass_on(message);
  for (const Envelope& each : message.envelopes) {
    if (std::ranges::binary_search(each.to, context.config.self)) {
      dispatch(each.from, each.message);
    }
  }
  exchange.note_delivered();
  begin_next_epoch_if_complete();
}

// After all that it may wait for.
void Engine::State::begin_next_epoch_if_complete() {
  if (barrier.may_begin_next_epoch()) {
    const std::vector<PageIndex> wanted = barrier.begin_next_epoch();
    take_released();
    fetcher.ask_again(wanted);
    locks.give_back_idle();
    barrier.complete_epoch();
    take_applied();
  }
  barrier.end_holding();
}

void Engine::State::dispatch(NodeId from, ByteView message) {
  WireReader wire(message);
  const MessageHeader header = read_header(wire);
  WEFT_BEGIN(context, header.type);
  context.sightings.note(header.type);
  switch (header.type) {
    case MessageType::kBarrierArrive:
    case MessageType::kBarrierDepart:
    case MessageType::kPublish:
      return on_barrier(from, header, wire);
    case MessageType::kBarrierPart:
      barrier.on_part(from, decode<BarrierPart>(wire));
      return begin_next_epoch_if_complete();
    case MessageType::kDepartureWish:
      return barrier.on_wish(header.epoch);
    case MessageType::kUpdate:
      return on_update(from, header.epoch, decode<Update>(wire));
    case MessageType::kUpdatePart:
      return on_update(from, header.epoch, whole_update(decode<UpdatePart>(wire)));
    case MessageType::kUpdates:
      return take_updates(from, header.epoch, decode<Updates>(wire).updates);
    case MessageType::kUpdateDemand:
      return deferred.send(decode<UpdateDemand>(wire).home);
    case MessageType::kRelease:
      return on_release(from, header.epoch, decode<Release>(wire));
    case MessageType::kRecall:
      return on_recall(from, decode<Recall>(wire));
    case MessageType::kRecalled:
      recalls.on_recalled(from, decode<Recalled>(wire));
      return take_released();
    case MessageType::kReleased:
      releases.finish(decode<Released>(wire).number);
      return take_released();
    case MessageType::kFetchRequest:
      return fetcher.on_request(from, header.epoch, decode<FetchRequest>(wire));
    case MessageType::kFetchReply:
      return fetcher.on_reply(from, decode<FetchReply>(wire));
    case MessageType::kPush:
      return on_push(from, header.epoch, decode<Push>(wire));
    case MessageType::kExchangeRound:
      return on_exchange_round(decode<ExchangeRound>(wire));
    case MessageType::kHomeAsk:
      return homes.on_ask(from, decode<HomeAsk>(wire));
    case MessageType::kHomeReply:
      return on_homes(header.epoch, decode<HomeReply>(wire));
    case MessageType::kUnsubscribe:
      return pusher.on_unsubscribe(from, decode<Unsubscribe>(wire));
    default:
      return dispatch_synchronisation(from, header, wire);
  }
}

void Engine::State::dispatch_synchronisation(NodeId from, const MessageHeader& header,
                                             WireReader& wire) {
  const Epoch epoch = header.epoch;
  switch (header.type) {
    case MessageType::kLockRequest:
      return locks.on_request(from, epoch, decode<LockRequest>(wire));
    case MessageType::kLockForward:
      return locks.on_forward(decode<LockForward>(wire));
    case MessageType::kLockGrant:
      return on_grant(from, epoch, decode<LockGrant>(wire));
    case MessageType::kLockBusy:
      return locks.on_busy(decode<LockBusy>(wire));
    case MessageType::kLockTryResult:
      return locks.on_try_result(decode<LockTryResult>(wire));
    case MessageType::kRightRecall:
      return locks.on_right_recall(from, epoch, decode<RightRecall>(wire));
    case MessageType::kRightReturn:
      return locks.on_right_return(from, epoch, decode<RightReturn>(wire));
    case MessageType::kPageClaim:
      return bindings.on_claim(from, decode<PageClaim>(wire));
    case MessageType::kPageClaimReply:
      return locks.on_claim_reply(decode<PageClaimReply>(wire));
    case MessageType::kAdvance:
      return sequencers.on_advance(epoch, decode<Advance>(wire));
    case MessageType::kAwait:
      return sequencers.on_await(from, epoch, decode<Await>(wire));
    case MessageType::kAwaitReply:
      return sequencers.on_await_reply(epoch, decode<AwaitReply>(wire));
    case MessageType::kPost:
      return posts.on_post(from, epoch, decode<Post>(wire));
    case MessageType::kFenceAsk:
      return on_fence_ask(from, epoch, decode<FenceAsk>(wire));
    case MessageType::kFenceReply:
      return on_fence_reply(epoch, decode<FenceReply>(wire));
    case MessageType::kAtomicAsk:
      return on_atomic_ask(from, epoch, decode<AtomicAsk>(wire));
    case MessageType::kAtomicReply:
      return on_atomic_reply(from, epoch, decode<AtomicReply>(wire));
    case MessageType::kAtomicRetry:
      return atomics.on_retry(decode<AtomicRetry>(wire));
    case MessageType::kAtomicHurry:
      return atomics.on_hurry(from, decode<AtomicHurry>(wire));
    case MessageType::kAtomicStore:
      return on_atomic_store(from, epoch, decode<AtomicStore>(wire));
    case MessageType::kAtomicTold:
      return on_atomic_told(from, epoch, decode<AtomicTold>(wire));
    case MessageType::kCollectAsk:
      return collection.on_ask(from, epoch, decode<CollectAsk>(wire));
    case MessageType::kCollectReply:
      return collection.on_reply(from, epoch, decode<CollectReply>(wire));
    case MessageType::kCollect:
      return collection.on_collect(from, epoch, decode<Collect>(wire));
    default:
      WEFT_ASSERT(false, "message of type {}", static_cast<int>(header.type));
  }
}

}  // namespace weft
