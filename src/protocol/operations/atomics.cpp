// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/operations/atomics.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "protocol/interface/bugs.hpp"
#include "protocol/updates/completion.hpp"

namespace weft {
namespace {

// Whether the program is told what it found, and whether others may find what it left.
bool looks(const AtomicRequest& request) { return request.operation != AtomicOperation::kStore; }
bool may_write(const AtomicRequest& request) { return request.operation != AtomicOperation::kLoad; }

}  // namespace

// What lies behind the operand's bytes is zero in both.
bool Atomics::changed(const AtomicResult& result) {
  return std::memcmp(result.before, result.after, sizeof result.before) != 0;
}

void Atomics::start(const step::StartAtomic& atomic) {
  const AtomicRequest& request = atomic.request;
  WEFT_ASSERT(request.where.within_page() + request.size <= kPageBytes, "atomic across pages at {}",
              request.where.bytes());
  const PageIndex page = request.where.page();
  const NodeId home = table_.home_of(page);
  if (home == kNoNode) {
    homes_.find(page, step::RestartAtomic{atomic});
  } else if (looks(request) && confirm_before(home, atomic)) {
    return;
  } else if (context_.is_self(home)) {
    perform_here(atomic);
  } else if (may_go_unanswered(home, atomic)) {
    send_store(home, atomic);
  } else {
    ask_home(home, atomic);
  }
}

void Atomics::perform_here(const step::StartAtomic& atomic) {
  ++context_.counters.atomics_local;
  WEFT_PROBE(context_, kAtomicHere);
  const step::PerformAtomic next{atomic};
  if (!releases(atomic.ordering) || coherence_.release_here_or_keep(next)) perform(next);
}

void Atomics::perform(const step::PerformAtomic& step) {
  const auto& [request, ordering, wait, patient] = step.atomic;
  if (patient) {
    AtomicAsk ask;
    ask.wait = wait;
    ask.ordering = ordering;
    ask.request = request;
    ask.patient = true;
    return answer({context_.config.self, context_.epoch, ask});
  }
  if (looks(request)) context_.sightings.note_look();
  finish(ordering, wait, perform_at_home(context_.config.self, request, ordering, true));
}

AtomicResult Atomics::perform_at_home(NodeId by, const AtomicRequest& request, Ordering ordering,
                                      bool late) {
  vectors_.look(request.where.page());
  if (!WEFT_BUG(kAtomicInHomeDiff)) coherence_.forget_home_twin(request.where.page());
  shown_.note_operation(by, request);
  const AtomicResult result = context_.memory.perform(request);
  vectors_.look(request.where.page());
  // Also for an operation of another node, which counts it too: whoever acquires from this node
  // may see that operation by way of this node alone.
  const PageIndex page = request.where.page();
  if (table_.at(page).state == PageState::kShared && changed(result) &&
      !WEFT_BUG(kAtomicWithoutNotice)) {
    writes_.note_performed(page, late);
  }
  if (releases(ordering)) coherence_.note_local_release();
  return result;
}

void Atomics::ask_home(NodeId home, const step::StartAtomic& atomic) {
  const auto& [request, ordering, wait, patient] = atomic;
  const PageIndex page = request.where.page();
  // Counted now, since this epoch may end before the reply comes, and again then, since this
  // interval may have been closed.
  if (may_write(request) && !WEFT_BUG(kAtomicWithoutNotice)) writes_.note_at_home(page);
  const bool may_be_seen = may_be_shown(home, atomic);
  if (!releases(ordering) || may_be_seen) {
    PendingAtomic pending = prepare(request, ordering);
    if (may_be_seen && load_shown(home, atomic, pending)) return;
    if (!releases(ordering)) {
      if (do_directly(home, atomic, pending)) return;
      note_asking();
      return send_ask(home, pending, wait, patient);
    }
  }
  note_asking();
  const step::AskAtomic next{home, atomic};
  if (coherence_.release_or_keep(next)) ask(next);
}

void Atomics::note_asking() {
  ++context_.counters.atomics_remote;
  WEFT_PROBE(context_, kAtomicElsewhere);
}

void Atomics::ask(const step::AskAtomic& step) {
  const auto& [request, ordering, wait, patient] = step.atomic;
  if (table_.home_of(request.where.page()) != step.home) return start(step.atomic);  // it has moved
  send_ask(step.home, prepare(request, ordering), wait, patient);
}

// The home must have this node's plain writes and promised updates from before the operation; an
// eager release may have taken a while. What it has then is the copy's twin, not what the copy
// holds a moment before or after, since another thread may write.
PendingAtomic Atomics::prepare(const AtomicRequest& request, Ordering ordering) {
  const PageIndex page = request.where.page();
  if (!WEFT_BUG(kAskBeforePromised)) updates_.send_merged();
  PendingAtomic pending{.request = request,
                        .ordering = ordering,
                        .epoch = context_.epoch,
                        .copy = table_.at(page).fetched,
                        .held = {},
                        .sent = {},
                        .heard = 0,
                        .next = {}};
  const auto hold = [&](ByteView contents) {
    std::ranges::copy(contents.subspan(request.where.within_page(), request.size),
                      pending.held.emplace().begin());
  };
  const bool is_mapped = table_.at(page).mapped;
  if (WEFT_BUG(kHoldBeforeDiff)) {
    if (is_mapped) hold(context_.memory.contents(page));
    copies_.flush(page);
    return pending;
  }
  copies_.flush(page);
  if (is_mapped) hold(context_.memory.twin(page));
  return pending;
}

void Atomics::send_ask(NodeId home, PendingAtomic pending, WaitId wait, bool patient) {
  const AtomicRequest& request = pending.request;
  const Ordering ordering = pending.ordering;
  AtomicAsk ask{.wait = wait,
                .ordering = ordering,
                .request = request,
                .requirement = {},
                .records = {},
                .carried = {},
                .clock = {},
                .late = writes_.late.has_arrived(),
                .patient = patient,
                .flushes = looks(request) && context_.sightings.flushes_in(context_.epoch),
                .current = false,
                .wanted = needs_.untold(home)};
  if (releases(ordering)) put_released(home, ask);
  if (acquires(ordering) || ask.flushes) ask.clock = coherence_.clock();
  updates_.deferred().prepare_to_read(home);
  ask.requirement = streams_.requirement_at(home);
  pending.home = home;
  pending.sent = streams_.last_to(home);
  pending.heard = context_.stores.heard_count();
  pending_.add(wait, pending);
  context_.send(home, Priority::kControl, ask);
}

// --- at the home ---

void Atomics::on_ask(NodeId from, Epoch epoch, AtomicAsk message) {
  const bool tells_all =
      epoch == context_.epoch &&
      (message.current || (releases(message.ordering) && WEFT_BUG(kTrustAnyAsker)));
  if (may_write(message.request) && !tells_all) context_.sightings.note_seen();
  message.records.clear();  // and diffs, which lie in the received bytes
  message.carried.clear();
  const step::AnswerAtomic next{from, epoch, std::move(message)};
  if (streams_.applied_or_keep(next.ask.requirement, next)) answer(next);
}

// Whoever changes what a kept load waits for does it here, so that this node sees it.
void Atomics::answer(const step::AnswerAtomic& step) {
  if (step.ask.patient && !WEFT_BUG(kKeepOpen)) {
    open_.close(PageRange{step.ask.request.where.page(), 1});
  }
  if (!is_to_wait(step)) return answer_now(step);
  ++context_.counters.loads_kept;
  kept_.push_back(step);
}

void Atomics::answer_now(const step::AnswerAtomic& step) {
  const auto& [to, epoch, ask] = step;
  const PageIndex page_index = ask.request.where.page();
  const Page& page = table_.at(page_index);
  if (!page.is_home()) {
    WEFT_ASSERT(epoch < context_.epoch, "atomic on page {} sent to node {}, home is {}",
                page_index.value(), context_.config.self.value(), page.home.value());
    return context_.send(to, Priority::kData, AtomicRetry{ask.wait});
  }
  if (context_.is_self(to)) {
    context_.sightings.note_look();
    return finish(ask.ordering, ask.wait, perform_at_home(to, ask.request, ask.ordering, true));
  }
  const bool late = ask.late || epoch < context_.epoch;
  const AtomicResult result = perform_at_home(to, ask.request, ask.ordering, late);
  AtomicReply reply{ask.wait, result, {}, {}, false, needs_.untold(to)};
  using Answer = ShownWords::Answer;
  const bool with_records = acquires(ask.ordering) || ask.flushes;
  const Answer kind = with_records ? kind_of(step, result) : Answer::kUnshown;
  if (kind == Answer::kShown) close_to_show();
  if (kind == Answer::kOwn) {
    reply.current = ask.flushes;
  } else if (with_records && !(ask.patient && WEFT_BUG(kPatientWithoutRecords))) {
    release_for(step, reply);
  }
  // With the data, so that it keeps its place among fetched contents of the same page.
  context_.send(to, Priority::kData, reply);
  if (kind == Answer::kShown) show(ask.request.where, ask.request.size);
  open_for(step);
}

void Atomics::release_for(const step::AnswerAtomic& step, AtomicReply& reply) {
  const auto& [to, epoch, ask] = step;
  if (ask.flushes && !WEFT_BUG(kAnswerUnflushed)) {
    coherence_.close_if_flushed(false);
  } else {
    coherence_.close_if_released();
  }
  reply.records = coherence_.records_for(epoch, ask.clock);
  reply.carried = coherence_.carried_with_operation(to, reply.records);
  reply.current = ask.flushes && epoch == context_.epoch &&
                  (coherence_.is_current() || WEFT_BUG(kTrustAnyAnswer));
}

// A load of an earlier epoch may be kept on. If the page's home has moved, the asker is told.
bool Atomics::is_to_wait(const step::AnswerAtomic& step) {
  const AtomicRequest& request = step.ask.request;
  const PageIndex page = request.where.page();
  if (!step.ask.patient || !table_.at(page).is_home()) return false;
  const ByteView there =
      context_.memory.contents(page).subspan(request.where.within_page(), request.size);
  return std::memcmp(there.data(), request.operand, request.size) == 0;
}

bool Atomics::keeps_load_of(PageIndex page) const {
  return std::ranges::any_of(kept_, [page](const step::AnswerAtomic& each) {
    return each.ask.request.where.page() == page;
  });
}

void Atomics::look_again() {
  if (!kept_.empty() && !WEFT_BUG(kForgetKept)) look_at_kept();
  if (shown_.has_changed()) tell_loaders();
}

void Atomics::look_at_kept() {
  // To answer may close an interval, but changes no value.
  std::vector<step::AnswerAtomic> still;
  for (step::AnswerAtomic& each : std::exchange(kept_, {})) {
    if (is_to_wait(each)) {
      still.push_back(std::move(each));
    } else {
      answer_now(each);
    }
  }
  kept_ = std::move(still);
}

void Atomics::on_hurry(NodeId from, const AtomicHurry& message) {
  const auto kept = std::ranges::find_if(kept_, [&](const step::AnswerAtomic& each) {
    return each.to == from && each.ask.wait == message.wait;
  });
  if (kept == kept_.end()) return;  // it is answered, or will be asked for again
  const step::AnswerAtomic step = std::move(*kept);
  kept_.erase(kept);
  answer_now(step);
}

// --- at the asker ---

void Atomics::hurry(WaitId wait) {
  const NodeId home = pending_.home_of(wait);
  if (home == kNoNode) return on_hurry(context_.config.self, {wait});
  ++context_.counters.hurries_sent;
  context_.send(home, Priority::kControl, AtomicHurry{wait});
}

void Atomics::on_reply(Epoch epoch, const AtomicReply& message) {
  const PendingAtomic pending = pending_.take(message.wait);
  const bool tells_all = message.current && epoch == context_.epoch;
  if (looks(pending.request) && !tells_all) context_.sightings.note_seen();
  if (looks(pending.request)) context_.sightings.note_look();
  context_.stores.note_answered(pending.home, pending.sent, pending.heard);
  update_copy(pending, message.result);
  if (pending.next) return start(*pending.next);
  finish(pending.ordering, message.wait, message.result);
}

void Atomics::on_retry(const AtomicRetry& message) {
  const PendingAtomic pending = pending_.take(message.wait);
  if (pending.next) return start(*pending.next);
  start({pending.request, pending.ordering, message.wait, /*patient=*/false});
}

void Atomics::update_copy(const PendingAtomic& pending, const AtomicResult& result) {
  const GlobalOffset where = pending.request.where;
  Page& page = table_.at(where.page());
  const bool wrote = changed(result);
  // A copy that came since is in no order with the reply if it came with a lock.
  const bool is_same = page.fetched == pending.copy || WEFT_BUG(kPatchAnyCopy);
  const bool is_late = pending.epoch != context_.epoch;
  if (wrote && !WEFT_BUG(kAtomicWithoutNotice)) writes_.note_at_home(where.page());
  if (page.is_home()) return;
  const bool was_there = pending.held || WEFT_BUG(kPatchWithoutCopy);
  if (page.mapped && was_there && is_same && !is_late) {
    if (WEFT_BUG(kAtomicNotPatched)) return;
    const PendingAtomic::Contents held = pending.held.value_or(PendingAtomic::Contents{});
    if (patch(pending.request, held, result)) return;
  }
  if (page.mapped || page.is_held_back() || (wrote && page.state == PageState::kPristine)) {
    // The copy may be older or newer than the operation; the initial contents are older.
    copies_.discard(where.page());
  }
}

// False if a thread of this node has written there, plainly, since it was asked: a signal handler,
// as what else is race-free orders such writes. What it wrote must not be undone.
bool Atomics::patch(const AtomicRequest& request, const PendingAtomic::Contents& held,
                    const AtomicResult& result) {
  const ByteView after = ByteView(result.after).first(request.size);
  const ByteView expected = WEFT_BUG(kPatchWritten)
                                ? context_.memory.contents(request.where.page())
                                      .subspan(request.where.within_page(), request.size)
                                : ByteView(held).first(request.size);
  if (!context_.memory.patch(request.where, expected, after)) return false;
  pending_.note_patched(request, after);
  return true;
}

void Atomics::finish(Ordering ordering, WaitId wait, const AtomicResult& result) {
  if (!acquires(ordering)) return context_.effects.complete_atomic(wait, result);
  complete_when_settled(context_, streams_, step::CompleteAtomic{wait, result});
}

}  // namespace weft
