// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the driver that is about atomic operations and fences.
#include <utility>

#include "memory/pages/atomic_perform.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/interface/fault_tally.hpp"
#include "runtime/output/output_order.hpp"

namespace weft {
namespace {

// How long an atomic update may stay on this node if nothing else makes it go. Whoever waits for it
// waits so much longer; a program that updates without end sends that often.
constexpr std::int64_t kUpdateNanoseconds = 500'000;

}  // namespace

constinit thread_local LastLoad Driver::last_load;
constinit thread_local AwaitedWord Driver::awaited_word;
constinit thread_local ConfirmingFlushes Driver::flushes;

namespace {

// When the team has gone on to another epoch, all nodes know what its threads wrote before; of
// threads outside the team they may not.
struct Fence {
  Epoch epoch;
  NodeId told_home = kNoNode;  // knows what was written before: it has answered a release since
};
thread_local std::optional<Fence> last_fence;  // of the calling thread

}  // namespace

void Driver::begin_behind_fence() { last_fence = Fence{.epoch = epoch()}; }

void Driver::note_fence() {
  note_flush();
  begin_behind_fence();
}

bool Driver::is_behind_fence() const {
  return last_fence && (last_fence->epoch == epoch() || rest_.has_outside_threads());
}

// With the lock, behind a fence.
bool Driver::is_told(PageIndex page) const {
  const NodeId home = engine_.home_of(page);
  return home != kNoNode && home == last_fence->told_home;
}

// A store has no answer.
void Driver::note_told(const AtomicRequest& request, Ordering ordering) {
  if (!releases(ordering) || request.operation == AtomicOperation::kStore) return;
  last_fence->told_home = home_of(request.where.page());
}

void Driver::fence(bool polled) {
  if (!polled) begin_behind_fence();
  order_output_for_others();
  const FlushKind kind = polled ? FlushKind::kPolled : flushes.next(now_ns());
  Wait wait;
  run(wait, board::WaitKind::kFlush, 0, [&](WaitId id) { engine_.handle_fence(id, kind); });
}

// A load that finds what the one before it has found says nothing.
void Driver::note_atomic(const AtomicRequest& request, const AtomicResult& result) {
  if (awaited_word.note(request, result)) hearing_.note_wait(awaited_word.end(now_ns()));
  if (!last_load.note(request, result)) flushes.note_synchronised();
}

// While this node is alone an operation is the processor's own.
std::optional<AtomicResult> Driver::perform_alone(const AtomicRequest& request) {
  if (!alone_.enter()) return std::nullopt;
  const ProgramAddress where = parts_.memory->region().program_address(request.where);
  const AtomicResult result = perform_atomic(request, reinterpret_cast<std::byte*>(where.value()));
  alone_.leave();
  return result;
}

// What a word at its home was stored behind is told to this node as it is stored. To wait for that
// is cheaper than to ask, which stops a thread there.
void Driver::hear_first(const AtomicRequest& load, Ordering ordering, bool patient) {
  if (last_shown_.load(std::memory_order_relaxed) != load.where.bytes() || oversubscribed_) return;
  std::optional<PollingDuty::Driving> driving;
  std::int64_t began = 0, now = 0;
  do {
    {
      const std::lock_guard guard(lock_);
      if (!engine_.is_to_hear(load, ordering, patient)) return;
      if (!driving) driving.emplace(duty_);
      poll(ArmedFor::kAll);  // it is told quietly
    }
    now = now_ns();
    if (began == 0) began = now;
    awaited_word.note_waiting(load.where, now);
  } while (now - began < hearing_.moment_ns());
}

AtomicResult Driver::atomic(const AtomicRequest& request, Ordering ordering) {
  // The caller's may be on a program stack, whose pages another thread's acquire takes away at any
  // moment; a fault under the lock would never end.
  const AtomicRequest own = request;
  const bool is_load = own.operation == AtomicOperation::kLoad;
  const bool is_behind = !is_load && is_behind_fence();
  if (is_behind || releases(ordering)) order_output_for_others();
  if (is_load) hear_first(own, ordering, /*patient=*/false);
  Wait wait;
  const auto ask = [&](WaitId id) {
    if (is_behind && !is_told(own.where.page())) ordering = with_release(ordering);
    engine_.handle_atomic(own, ordering, id);
    // A thread that looks again and again waits for nothing here, and others for this node.
    if (is_load && wait.is_done()) poll_in_passing();
  };
  while (!begin_elsewhere(wait, ask)) {
    if (const auto done = perform_alone(own)) return *done;
  }
  wait_until_done(wait, board::WaitKind::kAtomic);
  if (is_behind) note_told(own, ordering);
  alone_.end_elsewhere();
  note_atomic(own, wait.atomic_result);
  return wait.atomic_result;
}

AtomicResult Driver::look(const AtomicRequest& load, Ordering ordering) {
  AtomicRequest own = load;
  const std::int64_t patience_ns = last_load.patience_ns(own);
  if (patience_ns == 0 || alone_.is_awaited()) return atomic(own, ordering);
  hear_first(own, ordering, /*patient=*/true);
  Wait wait;
  const auto ask = [&](WaitId id) { engine_.handle_atomic(own, ordering, id, /*patient=*/true); };
  if (!begin_elsewhere(wait, ask)) return atomic(own, ordering);
  wait_patiently(wait, patience_ns);
  alone_.end_elsewhere();
  note_atomic(own, wait.atomic_result);
  return wait.atomic_result;
}

// Then the home is asked to answer. It may have had to wait until it could keep the load.
void Driver::wait_patiently(Wait& wait, std::int64_t patience_ns) {
  while (!wait.is_done()) {
    const std::int64_t until = now_ns() + patience_ns;
    const board::Waiting waiting(board::WaitKind::kAtomic, 0, /*ends_by_itself=*/true);
    drive_while(wait.state(), Wait::kRunning, until);
    if (!wait.is_done() && now_ns() < until) {
      const PollingDuty::Sleeping sleeping(duty_);
      board::note_sleep();
      wait.sleep_until(until);
    }
    if (wait.is_done()) return;
    const std::lock_guard guard(lock_);
    engine_.handle_hurry(wait.id());
    handle_posts();
    note_awaits();
  }
}

// Of most pages that a program overwrites there is nothing to say: they are this node's alone.
std::uint64_t Driver::overwrite(PageRange pages) {
  const std::lock_guard guard(lock_);
  if (parts_.memory->is_untracked(pages)) return 0;
  relieve_memory();
  const std::uint64_t before = engine_.counters().pages_overwritten;
  engine_.handle_overwrite(pages);
  return engine_.counters().pages_overwritten - before;
}

// Where a thread's data are is told by what its loops ask for as well as by its faults.
void Driver::note_homes(std::span<const PageRange> pages) const {
  if (own_fault_tally == nullptr) return;
  for (const PageRange& range : pages) {
    for (PageIndex page = range.first; page < range.end(); page = page.plus(1)) {
      if (engine_.is_absent(page)) own_fault_tally->note(engine_.home_of(page));
    }
  }
}

std::uint64_t Driver::prefetch(std::span<const PageRange> pages, MemoryUse use) {
  const std::lock_guard guard(lock_);
  relieve_memory();
  note_homes(pages);
  return engine_.handle_prefetch(pages, use);
}

void Driver::expect_with(LockId lock, std::span<const PageRange> pages) {
  const std::lock_guard guard(lock_);
  engine_.handle_lock_data(lock, pages);
}

std::uint64_t Driver::access_losses() const { return parts_.memory->access_losses(); }

std::vector<Node::ReadablePages> Driver::readable(PageRange pages) {
  std::vector<ReadablePages> parts;
  const std::lock_guard guard(lock_);
  parts_.memory->for_each_present(pages, [&](PageRange run) {
    parts.push_back({run, parts_.memory->region().page_pointer(run.first)});
  });
  return parts;
}

// A page that is late is waited for by the thread that touches it, asleep if need be.
void Driver::await_prefetched(PageRange pages) {
  const board::Away away;
  const PollingDuty::Driving driving(duty_);
  Patience patience(waiting_times());
  PageIndex next = pages.first;
  while (patience.lasts()) {
    {
      const std::lock_guard guard(lock_);
      while (next < pages.end() && !engine_.is_under_way(next)) next = next.plus(1);
      if (next == pages.end()) return;
      if (poll() > 0) patience.renew();
    }
    patience.count_turn();
  }
}

bool Driver::is_under_way(std::span<const PageRange> pages) {
  const std::lock_guard guard(lock_);
  poll_in_passing();
  for (const PageRange& range : pages) {
    for (PageIndex page = range.first; page < range.end(); page = page.plus(1)) {
      if (engine_.is_under_way(page)) return true;
    }
  }
  return false;
}

std::uint64_t Driver::commit(std::span<const PageRange> pages) {
  const std::lock_guard guard(lock_);
  return engine_.handle_commit(pages);
}

NodeId Driver::home_of(PageIndex page) {
  const std::lock_guard guard(lock_);
  return engine_.home_of(page);
}

void Driver::flush_within(std::int64_t nanoseconds) {
  if (nanoseconds >= flush_within_ns_) return;
  flush_within_ns_ = nanoseconds;
  events_.set_timer(nanoseconds);
}

void Driver::merge(const AtomicRequest& update) {
  const AtomicRequest own = update;  // as above
  const bool is_behind = is_behind_fence();
  {
    const std::lock_guard guard(lock_);
    tell_of_flushes();
    const bool may_wait = !is_behind || is_told(own.where.page());
    if (may_wait && !alone_.is_alone() && engine_.handle_merge(own)) {
      rouse();
      return flush_within(kUpdateNanoseconds);
    }
  }
  atomic(own, Ordering::kRelaxed);
}

}  // namespace weft
