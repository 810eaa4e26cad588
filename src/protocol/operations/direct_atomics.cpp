// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of Atomics that is about operations which a node does by itself on the memory of a home
// on its host (protocol/direct.md, 33).
#include <functional>

#include "protocol/interface/bugs.hpp"
#include "protocol/operations/atomics.hpp"

namespace weft {
namespace {

bool is_for_memory(const AtomicRequest& request) {
  return request.operation != AtomicOperation::kStore && request.size <= kWidestWithoutHome;
}

}  // namespace

// --- at the home ---

// Whoever asks once will ask again. What goes with records or waits for a value needs this node.
void Atomics::open_for(const step::AnswerAtomic& step) {
  const auto& [to, epoch, ask] = step;
  if (!context_.config.may_expose() || !context_.exposed.reaches(to)) return;
  const bool is_bare = ask.ordering == Ordering::kRelaxed && !ask.patient && !ask.flushes;
  const PageIndex page = ask.request.where.page();
  if (!is_bare || !is_for_memory(ask.request) || keeps_load_of(page)) return;
  WEFT_PROBE(context_, kPageOpened);
  open_.open(page);
}

// --- at the asker ---

// Not where records would go along, nor what an operation before it that is under way has to come
// before, nor contents that may be older. Nor in a barrier, where the notices are made.
bool Atomics::may_be_direct(NodeId home, const step::StartAtomic& atomic) {
  const PageIndex page = atomic.request.where.page();
  return context_.config.may_expose() && context_.exposed.reaches(home) &&
         context_.exposed.is_open(home, page) && atomic.ordering == Ordering::kRelaxed &&
         !atomic.patient && is_for_memory(atomic.request) &&
         !context_.sightings.flushes_in(context_.epoch) && !writes_.late.has_arrived() &&
         (!pending_.has(page) || WEFT_BUG(kDirectBeforeReply)) &&
         (table_.at(page).request == 0 || WEFT_BUG(kDirectBeforeContents));
}

// All that the home must have before is there, and the home is in this node's epoch.
bool Atomics::is_ready(NodeId home, PageIndex page) const {
  return one_sided_.may_read_at(home) && context_.exposed.is_open(home, page);
}

bool Atomics::do_directly(NodeId home, const step::StartAtomic& atomic,
                          const PendingAtomic& pending) {
  const AtomicRequest& request = atomic.request;
  const PageIndex page = request.where.page();
  if (!may_be_direct(home, atomic) || !is_ready(home, page)) return false;
  const auto may = [&] { return is_ready(home, page) || WEFT_BUG(kOperateUnpinned); };
  const std::optional<AtomicResult> result =
      context_.exposed.operate(home, request, std::cref(may));
  if (!result) return false;
  ++context_.counters.atomics_direct;
  WEFT_PROBE(context_, kAtomicDirect);
  context_.sightings.note_seen();
  // What was sent to this node before may come behind it.
  if (changed(*result)) updates_.forget_unmapped(page);
  finish_at_home(home, streams_.last_to(home), atomic, pending, *result);
  return true;
}

// This node's stores up to that update are done there.
void Atomics::finish_at_home(NodeId home, UpdateSequence done, const step::StartAtomic& atomic,
                             const PendingAtomic& pending, const AtomicResult& result) {
  context_.sightings.note_look();
  context_.stores.note_answered(home, done, context_.stores.heard_count());
  update_copy(pending, result);
  finish(atomic.ordering, atomic.wait, result);
}

}  // namespace weft
