// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the engine goes on with: a step that has waited in some part (protocol/context/step.hpp), a
// message that was set aside, and a lock that goes through several parts.
#include <optional>
#include <utility>
#include <variant>

#include "protocol/engine_state.hpp"

namespace weft {
namespace {

// As std::visit, which would bring exceptions in, for a variant without a value.
template <typename... Alternatives, typename Act>
void visit_step(const std::variant<Alternatives...>& step, Act act) {
  const auto act_if = [&act](const auto* alternative) {
    if (alternative) act(*alternative);
  };
  (act_if(std::get_if<Alternatives>(&step)), ...);
}

}  // namespace

void Engine::State::take(const Step& step) {
  visit_step(step, [this](const auto& each) { go_on(each); });
}

void Engine::State::take_applied() {
  for (const Step& step : streams.take_ready()) take(step);
}

void Engine::State::take_released() {
  while (const std::optional<Step> step = releases.take_ready()) take(*step);
}

// --- after each input ---

// Takes the first message that can be handled, so that each sender's stay in order.
bool Engine::State::handle_one_set_aside() {
  for (auto place = messages_set_aside.begin(); place != messages_set_aside.end(); ++place) {
    WireReader header_wire(place->message);
    if (!may_handle(read_header(header_wire))) continue;
    const SetAside taken = std::move(*place);
    messages_set_aside.erase(place);
    const ReadingFrom sender(taken.from);
    dispatch(taken.from, taken.message);
    return true;
  }
  return false;
}

// Whatever has come may have changed what a kept load waits for, and may be one record too many.
// Between two epochs nothing is answered.
void Engine::State::look_again() {
  if (context.is_departing()) return;
  WEFT_BEGIN(context, EngineInput::kAtomic);
  atomics.look_again();
  collection.look();
}

// --- operations of threads ---

void Engine::State::go_on(const step::Fault& step) { fetcher.fault(step.page, step.stream); }

void Engine::State::go_on(const step::AcquireLock& step) { locks.acquire(step.lock, step.wait); }

void Engine::State::go_on(const step::AcquireAdding& step) {
  locks.acquire_adding(step.lock, step.targets, step.wait);
}

void Engine::State::go_on(const step::TryLock& step) { locks.try_acquire(step.lock, step.wait); }

void Engine::State::go_on(const step::ReleaseLock& step) { locks.release(step.lock); }

void Engine::State::go_on(const step::EnterBarrier& step) {
  if (empty_barriers.meet(step)) return;
  const step::ArriveAtBarrier next{step};
  if (releases.ended_or_keep(next)) go_on(next);
}

void Engine::State::go_on(const step::Gather& step) {
  if (!empty_barriers.gather(step.wait)) barrier.gather(step.wait);
}

void Engine::State::go_on(const step::EnterPublication& step) {
  if (empty_barriers.publish(step)) return;
  const step::StartPublication next{step};
  if (releases.ended_or_keep(next)) go_on(next);
}

void Engine::State::go_on(const step::AdvanceSequencer& step) {
  sequencers.advance(step.sequencer, step.value);
}

void Engine::State::go_on(const step::AwaitSequencer& step) {
  sequencers.await(step.sequencer, step.value, step.wait);
}

void Engine::State::go_on(const step::PostPayload& step) { posts.post(step.to, step.payload); }

void Engine::State::go_on(const step::StartFence& step) { fences.start(step.wait, step.kind); }

// The thread may be about to wait for what others do about its updates.
void Engine::State::go_on(const step::StartAtomic& step) {
  home_updates.send_merged();
  atomics.start(step);
}

// --- the home of a page is known ---

void Engine::State::on_homes(Epoch epoch, const HomeReply& message) {
  for (const Step& step : homes.on_reply(epoch, message)) take(step);
}

void Engine::State::go_on(const step::FetchPages& step) {
  fetcher.ask_for(step.pages, {.descending = step.descending});
}

void Engine::State::go_on(const step::RestartAtomic& step) { operate(step.atomic); }

// --- what was released is complete ---

void Engine::State::go_on(const step::ArriveAtBarrier& step) {
  barrier.arrive(step.operation.wait, step.operation.input);
  begin_next_epoch_if_complete();
}

void Engine::State::go_on(const step::StartPublication& step) {
  const auto& [payload, next, others_here, wait] = step.operation;
  barrier.publish(payload, next, others_here, wait);
  begin_next_epoch_if_complete();
}

void Engine::State::go_on(const step::StartGather& step) { barrier.gather(step.wait); }

void Engine::State::go_on(const step::GrantLock& step) { locks.grant(step.to); }

void Engine::State::go_on(const step::RaiseSequencer& step) { sequencers.raise(step); }

void Engine::State::go_on(const step::SendAdvance& step) { sequencers.send(step); }

void Engine::State::go_on(const step::SendPost& step) { posts.send(step); }

void Engine::State::go_on(const step::AskFence& step) { fences.ask(step); }

void Engine::State::go_on(const step::AnswerFence& step) { fences.answer(step); }

void Engine::State::go_on(const step::PerformAtomic& step) { atomics.perform(step); }

void Engine::State::go_on(const step::AskAtomic& step) { atomics.ask(step); }

// --- updates are applied ---

void Engine::State::go_on(const step::ServeFetch& step) { fetcher.serve(step); }

void Engine::State::go_on(const step::AnswerAtomic& step) { atomics.answer(step); }

void Engine::State::go_on(const step::RecallCopies& step) {
  if (step.epoch < context.epoch) return;  // it was abandoned
  recalls.recall(step.pages, step.releaser, step.release);
}

void Engine::State::go_on(const step::CompleteGather& step) { barrier.complete_gather(step.wait); }

// --- a lock comes ---

// Updates to this node that come with it are applied before its pages are looked at.
void Engine::State::on_grant(NodeId from, Epoch epoch, const LockGrant& message) {
  take_carried(locks.acquire_with(epoch, message), message.carried);
  locks.on_grant(from, epoch, message);
}

void Engine::State::take_carried(const std::optional<Coherence::Acquired>& acquired,
                                 const std::vector<CarriedUpdate>& updates) {
  if (acquired) {
    for (const CarriedUpdate& each : updates) {
      const std::optional<Update> here = coherence.take_carried(*acquired, each);
      if (here) on_update(each.writer, context.epoch, *here);
    }
  }
  deferred.demand(context.config.self);
}

// --- an operation brings records ---

void Engine::State::acquire(Epoch epoch, const std::vector<Record>& records,
                            const std::vector<CarriedUpdate>& updates) {
  if (epoch == context.epoch) flag_needs.note_lost(coherence.unknown_pages(records));
  const auto acquired = coherence.acquire(epoch, records, updates);
  if (acquired) flag_needs.note_kept(acquired->patched);
  if (!WEFT_BUG(kSpareUnpatched)) take_carried(acquired, updates);
}

// At once, though the operation may have to wait: a later message's records follow on these.
void Engine::State::on_atomic_ask(NodeId from, Epoch epoch, AtomicAsk message) {
  coherence.learn_carried(flag_needs.note_told(from, message.wanted));
  acquire(epoch, message.records, message.carried);
  atomics.on_ask(from, epoch, std::move(message));
}

void Engine::State::on_atomic_reply(NodeId from, Epoch epoch, const AtomicReply& message) {
  coherence.learn_carried(flag_needs.note_told(from, message.wanted));
  acquire(epoch, message.records, message.carried);
  atomics.on_reply(epoch, message);
}

// Between two epochs all is known that the records tell.
void Engine::State::on_atomic_store(NodeId from, Epoch epoch, const AtomicStore& message) {
  if (!context.is_departing()) {
    coherence.learn_carried(flag_needs.note_told(from, message.wanted));
    if (!WEFT_BUG(kStoreWithoutRecords)) acquire(epoch, message.records, message.carried);
    const bool tells_all = message.current && epoch == context.epoch;
    if (tells_all || WEFT_BUG(kTrustAnyStore)) streams.vouch(from, message.update.sequence);
  }
  on_update(from, epoch, message.update);
}

void Engine::State::on_atomic_told(NodeId from, Epoch epoch, const AtomicTold& message) {
  coherence.learn_carried(flag_needs.note_told(from, message.wanted));
  acquire(epoch, message.records, message.carried);
  atomics.on_told(message);
}

void Engine::State::on_fence_ask(NodeId from, Epoch epoch, const FenceAsk& message) {
  coherence.learn_carried(flag_needs.note_told(from, message.wanted));
  fences.on_ask(from, epoch, message);
}

void Engine::State::on_fence_reply(Epoch epoch, const FenceReply& message) {
  acquire(epoch, message.records, message.carried);
  fences.on_reply(message);
}

}  // namespace weft
