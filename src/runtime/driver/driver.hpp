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
// no thread switch), and a while longer; then it sleeps until the service thread completes its
// operation. The service thread sleeps in epoll on the page faults, the transport and the
// launcher's link. While some thread polls, it stands back: the transport is not armed then, so
// that its peers need not wake anybody, and the service thread looks now and then whether it must
// take over again; a thread that goes to sleep tells it. With fewer processors than threads it does
// not, as looking would cost too much. A thread that gives up a lock polls in passing: who takes
// the same lock again and again would else be asked for it only when the service thread has been
// woken.
//
// The service thread must never touch the shared region through program addresses, nor wait for
// anything but its epoll set.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/futex.hpp"
#include "base/signal_safe_mutex.hpp"
#include "memory/pages/watched_memory.hpp"
#include "protocol/engine.hpp"
#include "runtime/bootstrap/bootstrap.hpp"
#include "runtime/checks/protocol_check.hpp"
#include "runtime/driver/doorbell.hpp"
#include "runtime/driver/look_interval.hpp"
#include "runtime/interface/node.hpp"
#include "runtime/output/statistics.hpp"
#include "transport/transport.hpp"

namespace weft {

// One blocking operation of one thread; lives on that thread's runtime stack until it is done.
struct Wait {
  [[nodiscard]] WaitId id() { return WaitId(reinterpret_cast<std::uintptr_t>(this)); }
  static Wait& of(WaitId id) { return *reinterpret_cast<Wait*>(id.value()); }

  std::atomic<std::uint32_t> done{0};
  AtomicResult atomic_result;
  bool taken = false;
  std::uint8_t votes = 0;
  std::vector<Contribution> contributions;
  std::uint64_t count = 0;    // of a sequencer
  bool ends_in_rest = false;  // a barrier: see Driver::admit_handlers
  Bytes reply;
};

class Driver final : public Node, private Effects {
 public:
  struct Parts {
    unsigned stack_slots = 0;  // program stacks of each node
    std::unique_ptr<Bootstrap> bootstrap;
    std::unique_ptr<WatchedMemory> memory;
    std::unique_ptr<Transport> transport;
    EngineConfig engine;
    bool checks_protocol = false;  // WEFT_CHECK=protocol
  };
  explicit Driver(Parts parts);

  // Starts the service thread, which runs until the process ends: page faults are answered from
  // here on.
  void start();
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
  // The same for what the region has for later (Region::open_later).
  [[nodiscard]] Status open_later();

  // For rest_hook, if the protocol is checked.
  void check_at_rest() { check_->at_rest(); }

  // Node 0: tells the other nodes that the program has ended.
  void announce_end();
  // Other nodes: whether node 0 has told.
  [[nodiscard]] bool program_has_ended();

  // While it lives, nobody counts on the calling thread to poll: a handler of the program has
  // interrupted it, and may compute, or wait for a message itself.
  class DrivingSuspended {
   public:
    explicit DrivingSuspended(Driver& driver)
        : driver_(driver), count_(std::exchange(driving_here, 0)) {
      if (count_ == 0) return;
      driver_.driving_.fetch_sub(count_);
      driver_.rouse_service_thread();
    }
    ~DrivingSuspended() {
      if (count_ != 0) driver_.driving_.fetch_add(count_);
      driving_here = count_;
    }
    DrivingSuspended(const DrivingSuspended&) = delete;
    DrivingSuspended& operator=(const DrivingSuspended&) = delete;

   private:
    Driver& driver_;
    const int count_;
  };

  [[nodiscard]] WatchedMemory& memory() { return *parts_.memory; }
  [[nodiscard]] Bootstrap& bootstrap() { return *parts_.bootstrap; }
  [[nodiscard]] Statistics statistics() const;

  // --- Node ---
  [[nodiscard]] NodeId self() const override { return parts_.engine.self; }
  [[nodiscard]] unsigned node_count() const override { return parts_.engine.node_count; }
  [[nodiscard]] unsigned threads_per_node() const override;
  [[nodiscard]] unsigned most_threads_per_node() const override { return parts_.stack_slots; }
  std::vector<Contribution> gather() override;
  std::uint8_t barrier_with(BarrierInput input) override;
  void arrive(BarrierInput input) override;
  void acquire(LockId lock) override;
  [[nodiscard]] bool try_acquire(LockId lock) override;
  void release(LockId lock) override;
  void advance(SequencerId sequencer, std::uint64_t value) override;
  std::uint64_t await(SequencerId sequencer, std::uint64_t value) override;
  AtomicResult atomic(const AtomicRequest& request, Ordering ordering) override;
  void merge(const AtomicRequest& update) override;
  void fence(bool polled) override;
  // Without the lock: a thread comes here at each barrier. Whoever needs to know looks when a
  // message comes.
  void note_flush() override { has_flushed_.store(true, std::memory_order_release); }
  void publish(Bytes payload, PhaseKey next) override;
  bool wait_for_publication(Bytes& payload) override;
  void serve(Service service, ServiceHandler handler) override;
  Bytes call(NodeId to, Service service, Bytes request) override;
  void notify(NodeId to, Service service, Bytes request) override;
  void post(NodeId to, Service service, Bytes payload) override;
  void count_outside_threads(int change) override { outside_threads_.fetch_add(change); }
  [[nodiscard]] bool has_outside_threads() const { return outside_threads_.load() > 0; }
  // A signal has come for a handler that another node has set: from now on this node has such
  // handlers (count_outside_threads). False: not now. The node is at rest: it has told the others
  // that nobody writes here until a barrier or the time between two regions is over.
  [[nodiscard]] bool admit_handlers();
  void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t value,
                  std::optional<std::int64_t> until_ns) override;
  [[nodiscard]] std::optional<GlobalOffset> offset_of(const void* pointer) const override;
  [[nodiscard]] PageSet used_pages(PageRange pages) override;
  [[nodiscard]] Epoch epoch() const override { return Epoch(epoch_.load()); }
  [[noreturn]] void fail(const std::string& sentence) override;

 private:
  // --- Effects ---
  void send(NodeId to, Priority priority, Bytes message) override;
  void send_with(NodeId to, Priority priority, Bytes message,
                 std::span<const ByteView> lent) override;
  void complete(WaitId wait) override;
  void complete_barrier(WaitId wait, std::uint8_t votes) override;
  void complete_gather(WaitId wait, std::vector<Contribution> contributions) override;
  void complete_await(WaitId wait, std::uint64_t count) override {
    Wait::of(wait).count = count;
    finish(Wait::of(wait));
  }
  void complete_atomic(WaitId wait, const AtomicResult& result) override;
  void complete_try(WaitId wait, bool taken) override;
  void deliver_publication(ByteView payload) override;
  void deliver_post(NodeId from, ByteView payload) override;

  // How often the calling thread is driving, one wait inside the other.
  static inline constinit thread_local int driving_here = 0;
  // While it lives, the calling thread polls.
  class Driving {
   public:
    // A handler that interrupts one of them here takes the thread for driving rather than not.
    explicit Driving(Driver& driver) : driver_(driver) {
      driving_here = driving_here + 1;
      driver_.driving_.fetch_add(1);
    }
    ~Driving() {
      driver_.driving_.fetch_sub(1);
      driving_here = driving_here - 1;
      driver_.rouse_service_thread();
    }
    Driving(const Driving&) = delete;
    Driving& operator=(const Driving&) = delete;

   private:
    Driver& driver_;
  };

  // While it lives, the calling thread sleeps, and the service thread looks often.
  class Sleeping {
   public:
    explicit Sleeping(Driver& driver) : driver_(driver) {
      driver_.asleep_.fetch_add(1);
      if (!driver_.is_armed_.load()) driver_.doorbell_.ring();
    }
    ~Sleeping() { driver_.asleep_.fetch_sub(1); }
    Sleeping(const Sleeping&) = delete;
    Sleeping& operator=(const Sleeping&) = delete;

   private:
    Driver& driver_;
  };

  // The lock, unless the caller is a handler and so has it.
  [[nodiscard]] std::unique_lock<SignalSafeMutex> lock_for_sending();
  // Begins an operation under the lock.
  template <typename Operation>
  void begin(Wait& wait, Operation&& operation);
  // And waits for its end.
  template <typename Operation>
  void run(Wait& wait, Operation&& operation);
  void begin_barrier(Wait& wait, BarrierInput input);
  [[nodiscard]] bool take_publication(Bytes& payload);
  void wait_until_done(Wait& wait);
  // Or until nothing has come for a while, or the time is there.
  void drive_while(const std::atomic<std::uint32_t>& word, std::uint32_t value,
                   std::int64_t until_ns);
  // How long a thread has polled in vain. Most turns do without a look at the clock.
  class Patience {
   public:
    // After a turn in which something came.
    void renew() { turns_ = 0; }
    // After one in which nothing did: nanoseconds since the first of them.
    std::int64_t wait_on() {
      constexpr unsigned kTurnsPerLook = 8;
      if (turns_ == 0) begin_ = now_ = now_ns();
      if (turns_ % kTurnsPerLook == kTurnsPerLook - 1) now_ = now_ns();
      ++turns_;
      return now_ - begin_;
    }
    [[nodiscard]] std::int64_t now() const { return now_; }

   private:
    unsigned turns_ = 0;
    std::int64_t begin_ = 0, now_ = 0;
  };
  // Whether to wait awake any longer; then offers the processor to others where that is due.
  [[nodiscard]] bool stays_awake(const Patience& patience, std::int64_t spun_ns) const;

  // Sleeps until messages have been handled since `seen` was read from progress_.
  void sleep_until_progress(std::uint32_t seen);

  // The rest is called under the lock.
  std::size_t poll();
  // Polls for a thread that passes by, unless one did a moment ago.
  void poll_in_passing();
  void on_message(NodeId from, ByteView message);
  void on_protocol_message(NodeId from, ByteView message);
  void on_request(NodeId from, ByteView message);
  [[nodiscard]] ProtocolCheck::Host check_host();
  [[nodiscard]] std::string place_name(PageIndex page, std::size_t byte) const;
  void handle_posts();
  void finish(Wait& wait);
  // The first byte of a message that is not the protocol's, whose types are below these.
  enum class Kind : std::uint8_t { kRequest = 0xf0, kReply, kNotify, kCheck };
  void send_service(NodeId to, Kind kind, Service service, std::uint64_t wait, Bytes body);
  void transmit(NodeId to, Channel channel, Bytes message, std::span<const ByteView> lent = {});
  void note_sends();

  // Called by who stops polling, or sends without waiting, under the lock or not: what the network
  // has not taken yet needs somebody who polls.
  void rouse_service_thread();

  void service_loop();
  [[nodiscard]] bool take_turn();
  void sleep_until_event(bool armed);
  void flush_merged();
  void read_page_faults();
  void relieve_memory();
  void leave_if_job_ended();

  Parts parts_;
  // If the protocol is checked.
  std::unique_ptr<NotedMemory> noted_;
  std::unique_ptr<ProtocolCheck> check_;
  std::uint64_t protocol_sent_ = 0, protocol_received_ = 0;  // messages
  Engine engine_;
  const bool oversubscribed_;  // more threads in the job than this host has processors
  SignalSafeMutex lock_;       // under which all work on the engine is done
  Receiver receiver_;
  std::function<void()> before_barrier_ = [] {};
  ServiceHandler handlers_[static_cast<int>(Service::kCount)];
  // Requests that came before their handler: nodes do not start at the same moment.
  std::vector<std::pair<NodeId, Bytes>> early_requests_;
  std::deque<std::pair<NodeId, Bytes>> posts_;   // delivered, not handled yet
  std::atomic<std::thread::id> handler_thread_;  // that runs a handler, under the lock
  std::deque<Bytes> publications_;
  Wait last_barrier_;  // of arrive()
  bool program_ended_ = false;
  std::atomic<std::uint32_t> publication_signal_{0};  // changes with each publication, and the end
  std::atomic<bool> awaits_publication_{false};       // asleep
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint32_t> progress_{0};           // changes when messages have been handled
  std::atomic<std::uint32_t> progress_sleepers_{0};  // threads that sleep for that
  std::atomic<int> driving_{0};                      // threads that poll at present
  std::atomic<int> asleep_{0};                       // threads that wait and do not poll
  LookInterval look_;                                // of the service thread alone
  std::uint64_t passing_polls_ = 0;                  // by poll_in_passing()
  std::uint64_t passing_polls_seen_ = 0;             // when the service thread last looked
  std::int64_t passed_at_ns_ = 0;                    // the last of them
  std::atomic<int> outside_threads_{0};              // see count_outside_threads
  std::atomic<bool> at_rest_{false};                 // see admit_handlers; set under the lock
  std::atomic<bool> has_flushed_{false};             // the engine is to be told of note_flush()
  std::atomic<std::uint32_t> epoch_{0};              // the engine's, readable without the lock
  std::atomic<bool> sends_need_polling_{false};      // Transport::needs_polling(), when last looked
  std::atomic<bool> is_armed_{false};  // the service thread sleeps until there is an event
  Doorbell doorbell_;                  // wakes it
  int epoll_ = -1;
  int flush_timer_ = -1;  // timerfd, for what handle_merge keeps
  bool flush_timer_is_set_ = false;
};

}  // namespace weft
