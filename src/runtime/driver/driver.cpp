// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/driver/driver.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/assert.hpp"
#include "base/futex.hpp"
#include "base/peers/sender.hpp"
#include "base/remote/bell.hpp"
#include "runtime/interface/rest_hook.hpp"
#include "runtime/output/output_order.hpp"

namespace weft {
namespace {

// How long a node that leaves waits for others to take what it has sent.
constexpr std::int64_t kLastWordsNanoseconds = 1'000'000'000;

// Room for so many locks that this node's threads pass on among themselves: 4 MiB, if all are used.
constexpr std::size_t kEntrustedLocks = std::size_t{1} << 18;

}  // namespace

Driver::Driver(Parts parts)
    : parts_(std::move(parts)),
      noted_(parts_.checks_protocol ? std::make_unique<NotedMemory>(*parts_.memory) : nullptr),
      check_(noted_ ? std::make_unique<ProtocolCheck>(check_host(), *noted_) : nullptr),
      entrusted_slots_(static_cast<EntrustedLocks::Slot*>(
                           std::calloc(kEntrustedLocks, sizeof(EntrustedLocks::Slot))),
                       &std::free),
      entrusted_locks_({entrusted_slots_.get(), kEntrustedLocks}, parts_.engine.begins_entrusted()),
      engine_(parts_.engine, noted_ ? static_cast<PageMemory&>(*noted_) : *parts_.memory, *this,
              parts_.exposed ? *parts_.exposed : ExposedMemory::nobody()),
      oversubscribed_(parts_.bootstrap->oversubscribed()) {
  receiver_ = [this](NodeId from, ByteView message) { on_message(from, message); };
  (void)services_.serve(Service::kShutdown, [this](NodeId, ByteView) {
    publications_.end();
    return Bytes();
  });
}

void Driver::send_everything() {
  stopping_ = true;
  // What goes to a node that has left stays here.
  const std::int64_t until = now_ns() + kLastWordsNanoseconds;
  for (bool drained = false; !drained && now_ns() < until;) {
    const std::lock_guard guard(lock_);
    poll();
    drained = parts_.transport->drained();
  }
}

void Driver::on_peer_failure(NodeId peer, const std::string& reason) {
  if (!stopping_.load() && !publications_.have_ended())
    parts_.bootstrap->report_lost_peer(peer, reason);
}

unsigned Driver::threads_per_node() const { return parts_.bootstrap->threads_per_node(); }

// --- waiting ---

void Driver::drive_while(const std::atomic<std::uint32_t>& word, std::uint32_t value,
                         std::int64_t until_ns) {
  const PollingDuty::Driving driving(duty_);
  Patience patience(waiting_times());
  while (word.load(std::memory_order_acquire) == value) {
    std::size_t messages = 0;
    if (lock_.try_lock()) {
      const std::lock_guard guard(lock_, std::adopt_lock);
      messages = poll();
    }
    if (word.load(std::memory_order_acquire) != value) return;
    if (messages > 0) patience.renew();
    patience.count_turn();
    if (patience.now() >= until_ns || !patience.lasts()) return;
  }
}

void Driver::wait_until_done(Wait& wait, board::WaitKind kind, std::uint64_t object) {
  if (wait.is_done()) return;
  const board::Waiting waiting(kind, object);
  drive_while(wait.state(), Wait::kRunning, kNever);
  if (wait.is_done()) return;
  const bool may_meet = kind == board::WaitKind::kBarrier || kind == board::WaitKind::kReduction;
  if (may_meet) stop_meeting();
  const PollingDuty::Sleeping sleeping(duty_);
  board::note_sleep();
  wait.sleep_until_done();
}

// Nobody wakes who sleeps where nodes meet without messages.
void Driver::stop_meeting() {
  const std::lock_guard guard(lock_);
  if (!engine_.is_meeting()) return;
  engine_.handle_meeting(/*gives_up=*/true);
  handle_posts();
  rouse();
}

// --- Node ---

std::vector<Contribution> Driver::gather() {
  Wait wait;
  run(wait, board::WaitKind::kReduction, 0, [&](WaitId id) { engine_.handle_gather(id); });
  return std::move(wait.contributions);
}

std::uint8_t Driver::barrier_with(BarrierInput input) {
  Wait wait;
  begin_barrier(wait, std::move(input));
  wait_until_done(wait, board::WaitKind::kBarrier);
  return wait.votes;
}

// The publication comes after the departure, so the wait is over by then.
void Driver::arrive(BarrierInput input) {
  input.threads_wait = false;
  last_barrier_.begin_again();
  begin_barrier(last_barrier_, std::move(input));
}

void Driver::begin_barrier(Wait& wait, BarrierInput input) {
  settle_output();
  before_barrier_();
  wait.ends_in_rest = input.precedes_publication && self() != NodeId(0);
  begin(wait, [&](WaitId id) {
    input.others_here = rest_.arrive();  // handlers may be admitted until here
    engine_.handle_barrier(id, std::move(input));
  });
}

bool Driver::admit_handlers() {
  if (rest_.is_at_rest()) return false;  // without the lock: asked again and again meanwhile
  const std::lock_guard guard(lock_);
  if (rest_.is_at_rest()) return false;
  count_outside_threads(1);
  return true;
}

// Nobody else prints while this node is alone, and publish() settles what it has printed.
bool Driver::has_output_to_order() const { return has_new_output() && !alone_.is_alone(); }

void Driver::order_output_for_others() {
  if (has_output_to_order()) [[unlikely]]
    settle_output();
}

void Driver::advance(SequencerId sequencer, std::uint64_t value) {
  order_output_for_others();
  const std::lock_guard guard(lock_);
  engine_.handle_advance(sequencer, value);
  rouse();
}

std::uint64_t Driver::await(SequencerId sequencer, std::uint64_t value) {
  Wait wait;
  run(wait, board::WaitKind::kOrdered, value,
      [&](WaitId id) { engine_.handle_await(sequencer, value, id); });
  return wait.count;
}

// What has been admitted meanwhile may not have seen that the region began.
void Driver::begin_own_region() {
  alone_.begin_region(rest_.has_outside_threads());
  if (rest_.has_outside_threads()) alone_.end_region();
}

void Driver::count_outside_threads(int change) {
  rest_.count_outside_threads(change);
  if (change > 0) alone_.admit_others();
}

void Driver::publish(Bytes payload, PhaseKey next) {
  alone_.end();
  settle_output();
  before_barrier_();
  Wait wait;
  run(wait, board::WaitKind::kRegion, 0,
      [&](WaitId id) { engine_.handle_publish(std::move(payload), next, rest_.arrive(), id); });
  rest_.end_rest();
  come_to_rest();
}

bool Driver::wait_for_publication(Bytes& payload) {
  if (!take_publication(payload)) return false;
  come_to_rest();
  return true;
}

bool Driver::take_publication(Bytes& payload) {
  rest_.wait_for_region();
  const board::Waiting waiting(board::WaitKind::kRegion);
  std::optional<PollingDuty::Driving> driving(duty_);
  Patience patience(waiting_times());
  for (;;) {
    const std::uint32_t seen = publications_.seen();
    {
      const std::lock_guard guard(lock_);
      if (publications_.empty() && poll() > 0) patience.renew();
      if (!publications_.empty()) {
        payload = publications_.take();
        note_sender(NodeId(0));  // the caller reads it
        rest_.end_rest();
        note_awaits();
        return true;
      }
      if (publications_.have_ended()) return false;
    }
    patience.count_turn();
    if (patience.lasts()) continue;
    stop_meeting();
    driving.reset();
    const PollingDuty::Sleeping sleeping(duty_);
    board::note_sleep();
    publications_.sleep(seen);
  }
}

void Driver::wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t value,
                        std::optional<std::int64_t> until_ns) {
  const std::int64_t until = until_ns.value_or(kNever);
  if (word.load(std::memory_order_acquire) != value) return;
  const board::Waiting waiting(board::WaitKind::kOther, 0, until_ns.has_value());
  drive_while(word, value, until);
  if (word.load(std::memory_order_acquire) != value) return;
  const PollingDuty::Sleeping sleeping(duty_);
  board::note_sleep();
  while (word.load(std::memory_order_acquire) == value && now_ns() < until) {
    if (until_ns) {
      futex_wait_until(word, value, until);
    } else {
      futex_wait(word, value);
    }
  }
}

// A thread counts itself as asleep before the kernel looks at the word.
void Driver::wake(std::atomic<std::uint32_t>& word) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (duty_.has_sleepers()) futex_wake_all(word);
}

void Driver::wait_for_ring(remote::Bell& bell, std::uint32_t seen,
                           const std::function<bool()>& is_over) {
  const board::Waiting waiting(board::WaitKind::kOther);
  drive_while(bell.rung(), seen, kNever);
  if (bell.rung().load(std::memory_order_acquire) != seen) return;
  const PollingDuty::Sleeping sleeping(duty_);
  board::note_sleep();
  while (bell.rung().load(std::memory_order_acquire) == seen && !is_over()) bell.sleep(seen);
}

std::optional<GlobalOffset> Driver::offset_of(const void* pointer) const {
  return parts_.memory->region().offset_of(ProgramAddress::of(pointer));
}

void Driver::fail(const std::string& sentence) {
  parts_.bootstrap->report_failure(sentence);
  _exit(70);  // EX_SOFTWARE; the launcher ends the other nodes
}

void Driver::fail_reading(NodeId from, std::string_view what) {
  if (from == kNoSender) fail(fmt::format("it cannot read what another node has sent: {}", what));
  parts_.bootstrap->report_unreadable(from, what);
  _exit(70);
}

bool Driver::program_has_ended() {
  const std::lock_guard guard(lock_);
  return publications_.have_ended();
}

// --- Effects ---

void Driver::complete(WaitId wait) { Wait::of(wait).finish(); }

void Driver::complete_barrier(WaitId wait, std::uint8_t votes) {
  Wait& barrier = Wait::of(wait);
  barrier.votes = votes;
  if (!barrier.ends_in_rest) rest_.end_rest();
  if (engine_.is_alone()) alone_.begin();
  barrier.finish();
}

void Driver::complete_gather(WaitId wait, std::vector<Contribution> contributions) {
  Wait::of(wait).contributions = std::move(contributions);
  Wait::of(wait).finish();
}

void Driver::complete_atomic(WaitId wait, const AtomicResult& result) {
  Wait::of(wait).atomic_result = result;
  Wait::of(wait).finish();
}

void Driver::try_again(WaitId wait) {
  Wait::of(wait).tries_again = true;
  Wait::of(wait).finish();
}

void Driver::complete_try(WaitId wait, bool taken) {
  Wait::of(wait).taken = taken;
  Wait::of(wait).finish();
}

void Driver::deliver_publication(ByteView payload) { publications_.add(payload); }

Statistics Driver::statistics() {
  const std::lock_guard guard(lock_);
  EngineCounters counters = engine_.counters();
  counters.lock_local_grants += entrusted_locks_.times_taken();
  return {.node = self(),
          .engine = counters,
          .pages = engine_.pages_by_kind(),
          .transport = parts_.transport->counters()};
}

}  // namespace weft
