// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/engine.hpp"

#include <algorithm>
#include <utility>

#include "protocol/engine_state.hpp"
#include "protocol/interface/bugs.hpp"

namespace weft {

PagesByKind Engine::State::pages_by_kind() const {
  PagesByKind pages{};
  table.for_each_entry([&](const Page& entry, PageIndex page) {
    if (!entry.is_home() || (!entry.mapped && !entry.use.is_any())) return;
    const bool is_quiet = entry.stale_since < context.epoch;
    const std::uint32_t epochs = is_quiet ? context.epoch.value() - entry.stale_since.value() : 0;
    ++pages[static_cast<std::size_t>(entry.use.kind(coherence.travels(page), epochs))];
  });
  return pages;
}

Engine::Engine(const EngineConfig& config, PageMemory& memory, Effects& effects)
    : Engine(config, memory, effects, ExposedMemory::nobody()) {}
Engine::Engine(const EngineConfig& config, PageMemory& memory, Effects& effects,
               ExposedMemory& exposed)
    : state_(std::make_unique<State>(config, memory, effects, exposed)) {}
Engine::~Engine() = default;

void Engine::handle_fault(PageIndex page, std::uint32_t stream) {
  WEFT_BEGIN(state_->context, EngineInput::kFault);
  if (is_mapped(page)) return;
  if (!state_->context.is_departing()) return state_->fetcher.fault(page, stream);
  state_->operate(step::Fault{page, stream});
}

bool Engine::is_mapped(PageIndex page) const {
  const Page* entry = state_->table.find(page);
  return entry && entry->mapped;
}

void Engine::handle_overwrite(PageRange pages) {
  WEFT_BEGIN(state_->context, EngineInput::kOverwrite);
  if (!state_->context.is_departing() && !state_->barrier.has_arrived())
    state_->overwriting.begin(pages);
}

std::uint64_t Engine::handle_prefetch(std::span<const PageRange> pages, MemoryUse use) {
  WEFT_BEGIN(state_->context, EngineInput::kPrefetch);
  if (state_->context.is_departing() || state_->barrier.has_arrived()) return 0;
  return state_->fetcher.prefetch(pages, use);
}

void Engine::handle_lock_data(LockId lock, std::span<const PageRange> pages) {
  WEFT_BEGIN(state_->context, EngineInput::kPrefetch);
  if (state_->context.is_departing() || state_->barrier.has_arrived()) return;
  state_->fetcher.expect_with(lock, pages);
}

std::uint64_t Engine::handle_commit(std::span<const PageRange> pages) {
  WEFT_BEGIN(state_->context, EngineInput::kCommit);
  if (state_->context.is_departing() || state_->barrier.has_arrived()) return 0;
  return state_->copies.commit(pages);
}

bool Engine::is_absent(PageIndex page) const {
  return state_->table.state_of(page) == PageState::kInvalid;
}

bool Engine::is_under_way(PageIndex page) const {
  if (!is_absent(page)) return false;
  const Page* entry = state_->table.find(page);
  return entry != nullptr && (entry->request != 0 || state_->pusher.is_coming(page));
}

void Engine::handle_acquire(LockId lock, WaitId wait) {
  WEFT_BEGIN(state_->context, EngineInput::kAcquire);
  note_flush();
  state_->operate(step::AcquireLock{lock, wait});
}

void Engine::handle_try_acquire(LockId lock, WaitId wait) {
  WEFT_BEGIN(state_->context, EngineInput::kTryAcquire);
  note_flush();
  state_->operate(step::TryLock{lock, wait});
}

void Engine::handle_acquire_adding(LockId lock, AddingTargets targets, WaitId wait) {
  WEFT_BEGIN(state_->context, EngineInput::kAcquire);
  note_flush();
  state_->operate(step::AcquireAdding{lock, std::move(targets), wait});
}

AddingResult Engine::handle_add(LockId lock, std::uint64_t right, const AddingSection& section) {
  WEFT_BEGIN(state_->context, EngineInput::kMerge);
  const auto has_home = [&](const AtomicRequest& update) {
    return state_->table.home_of(update.where.page()) != kNoNode;
  };
  const bool may_promise = !state_->context.is_departing() && !state_->barrier.has_arrived() &&
                           std::ranges::all_of(section.updates, has_home);
  if (!may_promise) return AddingResult::kTakeLock;
  const AddingResult result = state_->locks.use_right(lock, right, section);
  if (result != AddingResult::kAdded) return result;
  note_flush();
  for (const AtomicRequest& update : section.updates) state_->home_updates.merge(update);
  state_->look_again();
  return result;
}

void Engine::handle_release(LockId lock) {
  WEFT_BEGIN(state_->context, EngineInput::kRelease);
  note_flush();
  state_->operate(step::ReleaseLock{lock});
}

void Engine::handle_barrier(WaitId wait, BarrierInput input) {
  WEFT_BEGIN(state_->context, EngineInput::kBarrier);
  note_flush();
  input.next = state_->phase_of(input.next);
  state_->operate(step::EnterBarrier{wait, std::move(input)});
}

void Engine::handle_meeting(bool gives_up) {
  WEFT_BEGIN(state_->context, EngineInput::kBarrier);
  if (!is_meeting()) return;
  auto [barrier, gather] = state_->empty_barriers.look(gives_up);
  if (gather) state_->operate(step::StartGather{*gather});
  if (barrier) state_->operate(step::ArriveAtBarrier{*std::move(barrier)});
}

bool Engine::is_meeting() const { return state_->empty_barriers.is_looking(); }

void Engine::handle_gather(WaitId wait) {
  WEFT_BEGIN(state_->context, EngineInput::kGather);
  note_flush();
  state_->operate(step::Gather{wait});
}

void Engine::handle_publish(Bytes payload, PhaseKey next, bool others_here, WaitId wait) {
  WEFT_BEGIN(state_->context, EngineInput::kPublish);
  note_flush();
  next = state_->phase_of(next);
  state_->operate(step::EnterPublication{
      .payload = std::move(payload), .next = next, .others_here = others_here, .wait = wait});
}

void Engine::handle_advance(SequencerId sequencer, std::uint64_t value) {
  WEFT_BEGIN(state_->context, EngineInput::kAdvance);
  note_flush();
  state_->operate(step::AdvanceSequencer{sequencer, value});
}

void Engine::handle_await(SequencerId sequencer, std::uint64_t value, WaitId wait) {
  WEFT_BEGIN(state_->context, EngineInput::kAwait);
  note_flush();
  state_->operate(step::AwaitSequencer{sequencer, value, wait});
}

void Engine::handle_post(NodeId to, Bytes payload) {
  WEFT_BEGIN(state_->context, EngineInput::kPost);
  note_flush();
  state_->operate(step::PostPayload{to, std::move(payload)});
}

void Engine::handle_atomic(const AtomicRequest& request, Ordering ordering, WaitId wait,
                           bool patient) {
  WEFT_BEGIN(state_->context, EngineInput::kAtomic);
  if (ordering != Ordering::kRelaxed) note_flush();
  state_->operate(step::StartAtomic{request, ordering, wait, patient});
}

GlobalOffset Engine::last_shown() const { return state_->atomics.last_shown(); }

bool Engine::is_to_hear(const AtomicRequest& load, Ordering ordering, bool patient) const {
  if (state_->context.is_departing()) return false;
  return state_->atomics.is_to_hear({load, ordering, WaitId(), patient});
}

void Engine::handle_hurry(WaitId wait) {
  WEFT_BEGIN(state_->context, EngineInput::kAtomic);
  if (!state_->context.is_departing()) state_->atomics.hurry(wait);
}

void Engine::note_flush() { state_->coherence.note_flush(); }

void Engine::note_heard() {
  state_->context.sightings.note_seen();
  state_->context.sightings.note_look();
}

void Engine::handle_fence(WaitId wait, FlushKind kind) {
  WEFT_BEGIN(state_->context, EngineInput::kFence);
  note_flush();
  state_->operate(step::StartFence{wait, kind});
}

bool Engine::handle_merge(const AtomicRequest& update) {
  WEFT_BEGIN(state_->context, EngineInput::kMerge);
  const bool is_off = state_->context.config.atomic_policy == AtomicPolicy::kEach;
  if (is_off || state_->context.is_departing() || state_->barrier.has_arrived()) return false;
  if (state_->table.home_of(update.where.page()) == kNoNode) return false;
  state_->home_updates.merge(update);
  state_->look_again();
  return true;
}

void Engine::handle_flush() {
  WEFT_BEGIN(state_->context, EngineInput::kFlush);
  if (!state_->context.is_departing()) state_->home_updates.send_merged();
}

void Engine::handle_send() { state_->context.send_held(); }

void Engine::handle_memory_pressure(std::uint64_t page_count, bool may_write_back) {
  WEFT_BEGIN(state_->context, EngineInput::kMemoryPressure);
  // Between an arrival and the next epoch, what this node has is promised to the others.
  if (state_->writes.late.has_arrived() || state_->context.is_departing()) return;
  // What was written in this epoch has been used lately, and costs a message: it goes last.
  const PageSet written = state_->copies.written_so_far();
  CopyQueue& copies = state_->fetcher.copies();
  const std::uint32_t kept = state_->context.config.kept_pages;
  PageSet pages = copies.take(page_count, kept, written);
  const std::uint64_t found = pages.page_count();
  if (may_write_back && found < page_count) pages.insert(copies.take(page_count - found, kept, {}));
  state_->copies.evict(pages, written);
  state_->copies.give_second_chance(copies.test(kept, written));
}

// What follows on a barrier may come before this node has seen that all were there.
void Engine::handle_message(NodeId from, ByteView message) {
  if (is_meeting() && !WEFT_BUG(kMeetBehindMessages)) handle_meeting(/*gives_up=*/false);
  state_->receive(from, message);
}

PageSet Engine::invalid_pages() const { return state_->table.invalid_pages(); }

PageSet Engine::used_pages(PageRange pages) const { return state_->table.used_pages(pages); }

bool Engine::is_between_epochs() const { return state_->context.is_departing(); }

bool Engine::awaits_others() const { return state_->awaits_others(); }

Epoch Engine::epoch() const { return state_->context.epoch; }

bool Engine::is_alone() const { return state_->barrier.is_alone(); }

NodeId Engine::home_of(PageIndex page) const { return state_->table.home_of(page); }

PagesByKind Engine::pages_by_kind() const { return state_->pages_by_kind(); }

const EngineCounters& Engine::counters() const { return state_->context.counters; }

#ifdef WEFT_DELIBERATE_BUGS
const Coverage& Engine::coverage() const { return state_->context.coverage; }
#endif

}  // namespace weft
