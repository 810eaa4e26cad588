// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of Atomics that is about words which their home shows: nodes of its host load them there
// with the records that a reply would bring, which they have been told before
// (protocol/shown_words.md, 35).
#include <algorithm>
#include <cstring>

#include "protocol/interface/bugs.hpp"
#include "protocol/operations/atomics.hpp"

namespace weft {
namespace {

bool is_narrow_load(const AtomicRequest& request) {
  return request.operation == AtomicOperation::kLoad && request.size <= kWidestWithoutHome;
}

}  // namespace

// --- at the home ---

ShownWords::Answer Atomics::kind_of(const step::AnswerAtomic& step, const AtomicResult& result) {
  const auto& [to, epoch, ask] = step;
  const bool may = context_.config.may_expose() && context_.exposed.reaches(to) &&
                   is_narrow_load(ask.request) && epoch == context_.epoch &&
                   !writes_.late.has_arrived();
  if (!may) return ShownWords::Answer::kUnshown;
  return shown_.note_answered(to, ask.request, ByteView(result.before).first(ask.request.size),
                              context_.config.carries_all);
}

// What threads here released or flushed before the word was stored last is in records.
void Atomics::close_to_show() {
  if (WEFT_BUG(kShowUnflushed)) return coherence_.close_if_released();
  coherence_.close_if_flushed(false);
}

void Atomics::show(GlobalOffset where, std::uint8_t size) {
  WEFT_PROBE(context_, kShownWord);
  ShownWord word{.where = where, .size = size, .value = {}, .current = coherence_.is_current()};
  const ByteView there = context_.memory.contents(where.page()).subspan(where.within_page(), size);
  std::ranges::copy(there, word.value.begin());
  context_.exposed.show_word(word);
}

// Whoever will load what was stored is told now what it was stored behind.
void Atomics::tell_loaders() {
  for (const ShownWords::Telling& telling : shown_.take_changed()) {
    const PageIndex page = telling.where.page();
    if (!table_.at(page).is_home() || writes_.late.has_arrived()) continue;
    close_to_show();
    for (const NodeId to : telling.to) {
      WEFT_PROBE(context_, kToldWord);
      ++context_.counters.words_told;
      AtomicTold message{.where = telling.where.bytes(),
                         .size = telling.size,
                         .records = coherence_.unsent_records(to),
                         .carried = {},
                         .wanted = needs_.untold(to)};
      message.carried = coherence_.carried_with_operation(to, message.records);
      context_.send(to, Priority::kControl, message);
    }
    show(telling.where, telling.size);
  }
}

// --- at the asker ---

// As for a direct operation (33), but with an order. A load releases nothing.
bool Atomics::may_be_shown(NodeId home, const step::StartAtomic& atomic) {
  const PageIndex page = atomic.request.where.page();
  return is_narrow_load(atomic.request) && context_.config.may_expose() &&
         context_.exposed.reaches(home) && !writes_.late.has_arrived() && !pending_.has(page) &&
         table_.at(page).request == 0 && !needs_.has_untold(home);
}

// The home's records are looked at behind the word, and its epoch behind both.
std::optional<ShownWord> Atomics::shown_at(NodeId home, const step::StartAtomic& atomic) {
  const AtomicRequest& request = atomic.request;
  if (!one_sided_.may_look_at(home, request.where.page())) return std::nullopt;
  const auto word = context_.exposed.load_word(home, request.where, request.size);
  if (!word) return std::nullopt;
  const bool is_as_before = std::memcmp(word->value.data(), request.operand, request.size) == 0;
  if (atomic.patient && is_as_before) return std::nullopt;
  const bool acquires_all =
      acquires(atomic.ordering) || context_.sightings.flushes_in(context_.epoch);
  const bool knows = context_.exposed.knows_no_more(home, coherence_.clock());
  if (acquires_all && !knows && !WEFT_BUG(kLoadUnknown)) return std::nullopt;
  return one_sided_.may_look_at(home, request.where.page()) ? word : std::nullopt;
}

bool Atomics::load_shown(NodeId home, const step::StartAtomic& atomic,
                         const PendingAtomic& pending) {
  const auto word = shown_at(home, atomic);
  if (!word) return false;
  ++context_.counters.loads_shown;
  WEFT_PROBE(context_, kLoadedShown);
  note_shown(word->where, word->size);
  const bool flushes = context_.sightings.flushes_in(context_.epoch);
  if (!flushes || (!word->current && !WEFT_BUG(kTrustShown))) context_.sightings.note_seen();
  AtomicResult result;
  std::ranges::copy(word->value, result.before);
  std::ranges::copy(word->value, result.after);
  finish_at_home(home, streams_.last_before_looks(home), atomic, pending, result);
  return true;
}

// Its home shows it next.
void Atomics::on_told(const AtomicTold& message) {
  note_shown(GlobalOffset(message.where), message.size);
}

void Atomics::note_shown(GlobalOffset where, std::uint8_t size) {
  last_shown_ = where;
  last_shown_size_ = size;
}

bool Atomics::is_to_hear(const step::StartAtomic& load) {
  const AtomicRequest& request = load.request;
  if (last_shown_size_ != request.size || last_shown_ != request.where) return false;
  const NodeId home = table_.home_of(request.where.page());
  return home != kNoNode && !context_.is_self(home) && may_be_shown(home, load) &&
         !shown_at(home, load);
}

}  // namespace weft
