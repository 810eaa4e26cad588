// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver of one node: it owns the engine, the memory and the transport, serialises all work on
// them under one lock, and lets whoever waits do that work.
//
//   program thread in the runtime ──┐
//   faulting thread (signal)        ├─ lock ─ Engine ─ PageMemory
//   service thread (epoll)        ──┘            └──── Transport
//
// A waiting thread polls the transport itself as long as messages keep coming (a message then costs
// no thread switch), and a while longer (patience.hpp); then it sleeps until the service thread
// completes its operation. The service thread sleeps on events (service_events.hpp), and stands
// back while some thread polls (polling_duty.hpp). With fewer processors than threads it does not,
// as looking would cost too much. A thread that gives up a lock polls in passing: who takes the
// same lock again and again would else be asked for it only when the service thread has been woken.
//
// The service thread must never touch the shared region through program addresses, nor wait for
// anything but its epoll set.
#pragma once

#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/locks/entrusted_locks.hpp"
#include "base/threads/held_cancellation.hpp"
#include "memory/pages/watched_memory.hpp"
#include "protocol/engine.hpp"
#include "runtime/board/board.hpp"
#include "runtime/bootstrap/bootstrap.hpp"
#include "runtime/checks/protocol_check.hpp"
#include "runtime/driver/alone_state.hpp"
#include "runtime/driver/publications.hpp"
#include "runtime/driver/rest_state.hpp"
#include "runtime/driver/service_messages.hpp"
#include "runtime/driver/services.hpp"
#include "runtime/interface/node.hpp"
#include "runtime/interface/spreading.hpp"
#include "runtime/output/statistics.hpp"
#include "runtime/synchronising/awaited_word.hpp"
#include "runtime/synchronising/confirming_flushes.hpp"
#include "runtime/synchronising/hearing.hpp"
#include "runtime/synchronising/last_load.hpp"
#include "runtime/waiting/attendance.hpp"
#include "runtime/waiting/look_pause.hpp"
#include "runtime/waiting/passing_polls.hpp"
#include "runtime/waiting/patience.hpp"
#include "runtime/waiting/polling_duty.hpp"
#include "runtime/waiting/progress.hpp"
#include "runtime/waiting/service_events.hpp"
#include "runtime/waiting/standing_back.hpp"
#include "runtime/waiting/wait.hpp"
#include "transport/transport.hpp"

namespace weft {

class Driver final : public Node, private Effects {
 public:
  struct Parts {
    unsigned stack_slots = 0;  // program stacks of each node
    std::unique_ptr<Bootstrap> bootstrap;
    std::unique_ptr<WatchedMemory> memory;
    std::unique_ptr<Transport> transport;
    EngineConfig engine;
    // What the nodes of this host show each other; none: nothing.
    std::unique_ptr<ExposedMemory> exposed{};
    bool checks_protocol = false;    // WEFT_CHECK=protocol
    bool sleeps = true;              // WEFT_SLEEP
    bool service_goes_first = true;  // WEFT_SERVICE_FIRST
  };
  explicit Driver(Parts parts);

  // Where the program's threads are until the first region begins: at node 0 alone, and the other
  // nodes rest, or (in tests, which have no regions) everywhere.
  enum class Beginning : std::uint8_t { kAtNodeZero, kEverywhere };
  // Starts the service thread, which runs until the process ends: page faults are answered from
  // here on.
  void start(Beginning where = Beginning::kAtNodeZero);
  // Returns when all that was sent has left this node, or after a second: whoever it is for may
  // have gone. Peers that go away are no failure any more.
  void send_everything();
  // Called by the thread that enters a barrier or publishes, before it does. Set before start().
  void set_before_barrier(std::function<void()> action) { before_barrier_ = std::move(action); }
  // The transport has lost a peer; called under the lock, by the transport.
  void on_peer_failure(NodeId peer, const std::string& reason);

  // A program thread touched a page that it may not touch like this; called on that thread. Returns
  // when the touch may be tried again.
  void on_fault_here(PageIndex page, bool is_write);

  // Brings all contents of the shared region here, so that a copy of it can be made.
  void fetch_everything();

  // Makes one more piece of memory shared (Region::attach), while nobody uses it. Every node must
  // do the same.
  [[nodiscard]] Status attach(const SegmentSpec& segment);
  // The same for what the region has for later (Region::open_stage).
  [[nodiscard]] Status open_stage(unsigned stage);
  // Region::guard, of pages that nobody has touched.
  [[nodiscard]] Status guard(PageRange pages);

  // For rest_hook, if the protocol is checked.
  void check_at_rest() { check_->at_rest(); }

  // Node 0: tells the other nodes that the program has ended.
  void announce_end();
  // Other nodes: whether node 0 has told.
  [[nodiscard]] bool program_has_ended();

  // While a handler of the program runs that has interrupted a thread: PollingDuty::Suspended.
  [[nodiscard]] PollingDuty& duty() { return duty_; }

  [[nodiscard]] WatchedMemory& memory() { return *parts_.memory; }
  [[nodiscard]] Bootstrap& bootstrap() { return *parts_.bootstrap; }
  [[nodiscard]] Statistics statistics();

  // --- Node ---
  [[nodiscard]] NodeId self() const override { return parts_.engine.self; }
  [[nodiscard]] unsigned node_count() const override { return parts_.engine.node_count; }
  [[nodiscard]] unsigned threads_per_node() const override;
  [[nodiscard]] unsigned most_threads_per_node() const override { return parts_.stack_slots; }
  [[nodiscard]] bool is_on_one_host() const override { return parts_.bootstrap->is_on_one_host(); }
  std::vector<Contribution> gather() override;
  std::uint8_t barrier_with(BarrierInput input) override;
  void arrive(BarrierInput input) override;
  void acquire(LockId lock) override;
  [[nodiscard]] bool try_acquire(LockId lock) override;
  void release(LockId lock) override;
  std::uint64_t acquire_adding(LockId lock, const AddingTargets& targets) override;
  std::uint64_t right_at_once(LockId lock) override;
  [[nodiscard]] AddingResult add(LockId lock, std::uint64_t right,
                                 const AddingSection& section) override;
  [[nodiscard]] bool take_at_once(LockId lock, const void* place, const void* site) override;
  [[nodiscard]] bool give_up_at_once(LockId lock) override;
  void advance(SequencerId sequencer, std::uint64_t value) override;
  std::uint64_t await(SequencerId sequencer, std::uint64_t value) override;
  AtomicResult atomic(const AtomicRequest& request, Ordering ordering) override;
  AtomicResult look(const AtomicRequest& load, Ordering ordering) override;
  void merge(const AtomicRequest& update) override;
  std::uint64_t overwrite(PageRange pages) override;
  std::uint64_t prefetch(std::span<const PageRange> pages, MemoryUse use) override;
  void expect_with(LockId lock, std::span<const PageRange> pages) override;
  [[nodiscard]] std::uint64_t access_losses() const override;
  void await_prefetched(PageRange pages) override;
  [[nodiscard]] bool is_under_way(std::span<const PageRange> pages) override;
  [[nodiscard]] std::vector<ReadablePages> readable(PageRange pages) override;
  void fetch(PageRange pages) override;
  std::uint64_t commit(std::span<const PageRange> pages) override;
  [[nodiscard]] NodeId home_of(PageIndex page) override;
  void fence(bool polled) override;
  // Without the lock: a thread comes here at each barrier. Whoever needs to know looks when a
  // message comes.
  void note_flush() override {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    note_flush_behind_fence();
  }
  void note_fence() override;
  void publish(Bytes payload, PhaseKey next) override;
  bool wait_for_publication(Bytes& payload) override;
  void serve(Service service, ServiceHandler handler) override;
  Bytes call(NodeId to, Service service, Bytes request) override;
  void notify(NodeId to, Service service, Bytes request) override;
  void notify_bulk(NodeId to, Service service, Bytes head, Bytes data) override;
  void post(NodeId to, Service service, Bytes payload) override;
  void count_outside_threads(int change) override;
  [[nodiscard]] bool has_outside_threads() const override { return rest_.has_outside_threads(); }
  [[nodiscard]] bool enter_alone() override { return alone_.enter(); }
  void leave_alone() override { alone_.leave(); }
  void await_alone() override { alone_.await(); }
  void begin_own_region() override;
  void end_own_region() override { alone_.end_region(); }
  // A signal has come for a handler that another node has set: from now on this node has such
  // handlers (count_outside_threads). False: not now, as the node is at rest (RestState).
  [[nodiscard]] bool admit_handlers();
  void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t value,
                  std::optional<std::int64_t> until_ns) override;
  void wake(std::atomic<std::uint32_t>& word) override;
  void wait_for_ring(remote::Bell& bell, std::uint32_t seen,
                     const std::function<bool()>& is_over) override;
  [[nodiscard]] bool reaches_memory_of(NodeId node) const override {
    return parts_.exposed && parts_.exposed->reaches(node);
  }
  [[nodiscard]] std::optional<GlobalOffset> offset_of(const void* pointer) const override;
  [[nodiscard]] std::uint64_t memory_limit() const override { return parts_.memory->limit_bytes(); }
  [[nodiscard]] PageSet used_pages(PageRange pages) override;
  [[nodiscard]] bool could_hold_everything() override;
  [[nodiscard]] Epoch epoch() const override { return Epoch(epoch_.load()); }
  [[noreturn]] void fail(const std::string& sentence) override;
  // What the node has sent cannot be read: ends the job (base/peers/sender.hpp).
  [[noreturn]] void fail_reading(NodeId from, std::string_view what);

 private:
  static constexpr std::int64_t kNever = INT64_MAX;  // ns

  // --- Effects ---
  void send(NodeId to, Priority priority, Bytes message) override;
  void send_tail(NodeId to, Priority priority, Bytes message, Bytes tail) override;
  void send_with(NodeId to, Priority priority, Bytes message,
                 std::span<const ByteView> lent) override;
  void complete(WaitId wait) override;
  void complete_adding(WaitId wait, std::uint64_t right) override {
    Wait::of(wait).right = right;
    Wait::of(wait).finish();
  }
  void complete_barrier(WaitId wait, std::uint8_t votes) override;
  void complete_gather(WaitId wait, std::vector<Contribution> contributions) override;
  void complete_await(WaitId wait, std::uint64_t count) override {
    Wait::of(wait).count = count;
    Wait::of(wait).finish();
  }
  void complete_atomic(WaitId wait, const AtomicResult& result) override;
  void try_again(WaitId wait) override;
  void complete_try(WaitId wait, bool taken) override;
  bool entrust(LockId lock) override { return entrusted_locks_.entrust(lock); }
  bool call_back(LockId lock) override { return entrusted_locks_.call_back(lock); }
  void show_right(LockId lock, std::uint64_t right) override {
    entrusted_locks_.show_right(lock, right);
  }
  void deliver_publication(ByteView payload) override;
  void deliver_post(NodeId from, ByteView payload) override;

  template <typename IsOver>
  void await_pages(PageIndex first, IsOver is_over);
  void await_under_way(PageRange pages);
  // Whether what the calling thread stores atomically releases, see note_fence().
  [[nodiscard]] bool is_behind_fence() const;
  void begin_behind_fence();
  // Whether the page's home knows what the calling thread wrote before its fence.
  [[nodiscard]] bool is_told(PageIndex page) const;
  void note_told(const AtomicRequest& request, Ordering ordering);
  // The caller's writes can be seen by all threads. Mostly this is noted already, and all threads
  // would else write one cache line.
  void note_flush_behind_fence() {
    if (!has_flushed_.load(std::memory_order_relaxed)) {
      has_flushed_.store(true, std::memory_order_release);
    }
  }
  // Before the engine is given what it may answer others by.
  void tell_of_flushes() {
    if (has_flushed_.load(std::memory_order_relaxed) && has_flushed_.exchange(false)) {
      engine_.note_flush();
    }
  }
  // Of a lock that is entrusted to this node's threads; false: the engine is to be asked, or told.
  // `may_wait`: for about a microsecond.
  [[nodiscard]] bool take_entrusted(LockId lock, bool may_wait);
  [[nodiscard]] bool await_entrusted(LockId lock);
  template <typename Operation>
  std::uint64_t acquire_by(LockId lock, const Operation& ask_engine);
  [[nodiscard]] bool give_up_entrusted(LockId lock);

  // The lock, unless the caller is a handler and so has it.
  [[nodiscard]] std::unique_lock<UncancelledMutex> lock_for_sending();
  // What the calling thread has loaded last.
  static thread_local LastLoad last_load;
  // And which of its flushes have to ask.
  static thread_local ConfirmingFlushes flushes;
  static thread_local AwaitedWord awaited_word;
  void note_atomic(const AtomicRequest& request, const AtomicResult& result);
  void wait_patiently(Wait& wait, std::int64_t patience_ns);
  // Begins an operation under the lock.
  template <typename Operation>
  void begin(Wait& wait, Operation&& operation);
  // The same, of an atomic operation, unless this node is alone: AloneState::begin_elsewhere.
  template <typename Operation>
  [[nodiscard]] bool begin_elsewhere(Wait& wait, Operation&& operation);
  void hear_first(const AtomicRequest& load, Ordering ordering, bool patient);
  [[nodiscard]] std::optional<AtomicResult> perform_alone(const AtomicRequest& request);
  // And waits for its end.
  template <typename Operation>
  void run(Wait& wait, board::WaitKind kind, std::uint64_t object, Operation&& operation);
  void begin_barrier(Wait& wait, BarrierInput input);
  void stop_meeting();
  [[nodiscard]] bool take_publication(Bytes& payload);
  // What for, if the thread has not said already: see ThreadSlot.
  void wait_until_done(Wait& wait, board::WaitKind kind, std::uint64_t object = 0);
  // Or until nothing has come for a while, or the time is there.
  void drive_while(const std::atomic<std::uint32_t>& word, std::uint32_t value,
                   std::int64_t until_ns);
  // How long to wait awake for a message.
  [[nodiscard]] const WaitingTimes& waiting_times() const {
    if (!parts_.sleeps) return kWaitingAwake;
    return oversubscribed_ ? kWaitingOversubscribed : kWaitingForMessages;
  }

  // The rest is called under the lock.
  std::size_t poll() { return poll(needs()); }
  std::size_t poll(ArmedFor what);
  // Polls for a thread that passes by, unless one did a moment ago.
  void poll_in_passing();
  [[nodiscard]] bool has_output_to_order() const;
  void order_output_for_others();
  void on_message(NodeId from, ByteView message);
  void on_protocol_message(NodeId from, ByteView message);
  void on_request(NodeId from, ByteView message);
  [[nodiscard]] ProtocolCheck::Host check_host();
  [[nodiscard]] std::string place_name(PageIndex page, std::size_t byte) const;
  void handle_posts();
  void send_service(NodeId to, ServiceKind kind, Service service, std::uint64_t wait, Bytes body);
  void send_segments(NodeId to, Priority priority, MessageSegments segments);
  void transmit(NodeId to, Channel channel, Bytes message);
  void transmit(NodeId to, Channel channel, MessageSegments segments, Loudness loudness);
  // Who polls or waits is to know of it.
  void note_sends();
  void note_awaits();
  // After work that nobody here waits for: PollingDuty::rouse, with what the node awaits by now.
  void rouse();

  void service_loop();
  [[nodiscard]] PollingDuty::Armed take_turn();
  [[nodiscard]] bool is_for_threads();
  // The messages that the node needs now.
  [[nodiscard]] ArmedFor needs() const;
  void sleep_until_event(PollingDuty::Armed armed);
  [[nodiscard]] std::int64_t pause_before_look();  // ns
  [[nodiscard]] bool all_sleep() const;
  void flush_merged();
  // Who adds sees to it that it goes though nothing else happens here.
  void flush_within(std::int64_t nanoseconds);
  void read_page_faults();
  void ask_for(PageIndex page, bool is_first_time);  // by the thread that has touched it
  void relieve_memory();
  void note_homes(std::span<const PageRange> pages) const;  // asked for by a thread
  void leave_if_job_ended();
  // On the board, unless that was done a moment ago.
  void show_counters();

  Parts parts_;
  // If the protocol is checked.
  std::unique_ptr<NotedMemory> noted_;
  std::unique_ptr<ProtocolCheck> check_;
  std::uint64_t protocol_sent_ = 0, protocol_received_ = 0;  // messages
  // Of the locks that this node's threads pass on among themselves; costs memory as it is used.
  const std::unique_ptr<EntrustedLocks::Slot[], decltype(&std::free)> entrusted_slots_;
  EntrustedLocks entrusted_locks_;
  Engine engine_;
  const bool oversubscribed_;  // more threads in the job than this host has processors
  UncancelledMutex lock_;      // under which all work on the engine is done
  Receiver receiver_;
  std::function<void()> before_barrier_ = [] {};
  Services services_;
  Publications publications_;
  RestState rest_;
  AloneState alone_{program_stays_on_node_0};
  Wait last_barrier_;  // of arrive()
  std::atomic<bool> stopping_{false};
  Progress progress_;  // counts polls that handled messages
  PollingDuty duty_;
  PassingPolls passing_polls_;
  bool was_armed_ = false;                  // of the service thread alone: when it slept last
  LookPause look_;                          // of the service thread alone
  Attendance attendance_{waiting_times()};  // likewise
  StandingBack standing_back_;              // likewise
  std::int64_t shown_ns_ = 0;               // likewise: when it showed the counters last
  ServiceEvents events_;                    // its timer is for what handle_merge keeps
  std::int64_t flush_within_ns_ = kNever;   // what that is set to
  Hearing hearing_;
  std::atomic<std::uint64_t> last_shown_{0};  // Engine::last_shown(), for who has not the lock
  std::atomic<bool> has_flushed_{false};      // the engine is to be told of note_flush()
  std::atomic<std::uint32_t> epoch_{0};       // the engine's, readable without the lock
};

template <typename Operation>
void Driver::begin(Wait& wait, Operation&& operation) {
  const std::lock_guard guard(lock_);
  tell_of_flushes();
  operation(wait.id());
  handle_posts();
  note_awaits();
  epoch_.store(engine_.epoch().value(), std::memory_order_release);
}

template <typename Operation>
bool Driver::begin_elsewhere(Wait& wait, Operation&& operation) {
  bool begins = false;
  begin(wait, [&](WaitId id) {
    begins = alone_.begin_elsewhere();
    if (begins) operation(id);
  });
  return begins;
}

template <typename Operation>
void Driver::run(Wait& wait, board::WaitKind kind, std::uint64_t object, Operation&& operation) {
  begin(wait, operation);
  wait_until_done(wait, kind, object);
}

}  // namespace weft
