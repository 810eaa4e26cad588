// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small world at one moment: engines, simulated memories, messages on their way, the program's
// threads, and the oracle that knows what they must read. It goes on by events, one at a time: a
// step of a thread, or the arrival of the first message of a channel. Whoever explores it decides
// which; nothing here is left to chance. It lies in an Arena as a whole.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "protocol/context/coverage.hpp"
#include "sim/checkers/memory.hpp"
#include "sim/checkers/oracle.hpp"
#include "sim/checkers/shared_state.hpp"
#include "sim/cluster/exposed_host.hpp"
#include "sim/explore/program.hpp"

namespace weft::sim::explore {

// A thread's step: its number; a look by one that waits where nodes meet without messages, too. An
// arrival: kFirstChannel + channel. In either, another thread of
// the node may take a step in the middle of one of the engine's calls to memory: race_with.
using Event = std::uint16_t;
inline constexpr Event kFirstChannel = 64;
inline constexpr Event kFirstRace = 128;
inline constexpr unsigned kCallsRaced = 8;  // the first so many, of one event

[[nodiscard]] constexpr bool is_race(Event event) { return event >= kFirstRace; }
[[nodiscard]] constexpr Event without_race(Event event) { return event % kFirstRace; }
[[nodiscard]] constexpr bool is_step(Event event) { return without_race(event) < kFirstChannel; }
[[nodiscard]] constexpr Event race_with(Event event, ThreadIndex thread, unsigned call) {
  return static_cast<Event>(event + kFirstRace * (1 + kCallsRaced * thread + call));
}

class World {
 public:
  using Printer = std::function<void(const std::string&)>;

  // With a printer, it is told all that happens.
  explicit World(const Program& program, Printer print = nullptr);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // What may happen next; threads do not begin turn `end`.
  void list_events(std::vector<Event>& events, unsigned end) const;
  // Throws Failure where something is wrong.
  void run(Event event);
  // Threads outside the team begin. All others are between two turns.
  void begin_turns_explored();
  [[nodiscard]] bool all_reached(unsigned turn) const;
  // To be called where nothing can happen any more.
  void check_end() const;

  // --- what schedules go by ---
  [[nodiscard]] std::uint64_t progress(Event step) const;  // of the thread, in steps
  [[nodiscard]] std::uint16_t node_of(Event event) const;  // where it happens
  [[nodiscard]] bool is_control(Event arrival) const;
  [[nodiscard]] std::string name(Event event) const;
  // Of the nodes' engines, in their order.
  [[nodiscard]] std::vector<const EngineCounters*> counters() const;
  // Of all that the future depends on.
  [[nodiscard]] std::uint64_t fingerprint();
#ifdef WEFT_DELIBERATE_BUGS
  // Where the engines count what they have been through.
  void count_into(CoverageCounts& counts);
  // To be called after each step; at the end, the engines' last epochs count, too.
  void end_step_of_coverage(bool at_end);
#endif

 private:
  struct Node;

  enum class State : std::uint8_t {
    kReady,
    kFault,    // waits for a page
    kWaiting,  // waits for a completion
    kParked,   // waits for a publication or a post
    kDone,
  };

  struct Thread {
    ThreadIndex index = 0;
    std::uint16_t node = 0, local = 0;
    bool is_outsider = false;
    State state = State::kReady;
    bool is_fresh = false;  // has done nothing since the last barrier
    unsigned turn = 0, at = 0;
    unsigned barriers = 0;      // left
    unsigned publications = 0;  // received
    std::uint64_t value = 0;    // read last
    std::uint64_t term = 0;     // of a sum
    std::uint64_t right = 0;    // to add
    PageIndex faulted;
    AtomicRequest atomic;
    std::map<std::uint32_t, std::uint64_t> counts;  // of sequencers, that it was told
  };

  struct Message {
    Bytes bytes;
    std::vector<ByteView> lent;
  };

  struct Channel {
    std::vector<Message> messages;
  };

  struct BarrierState {
    Clock clock;
    unsigned arrived = 0;
    std::uint8_t votes = 0;
  };

  // --- threads (world_threads.cpp) ---
  [[nodiscard]] const std::vector<Step>& steps_of(const Thread& thread) const;
  [[nodiscard]] const Step& step_of(const Thread& thread) const;
  [[nodiscard]] bool is_due(const Thread& thread, const Step& step) const;
  [[nodiscard]] bool is_turn(const Thread& thread, Step::When when) const;
  void skip_what_is_not_due(Thread& thread);
  void skip_behind(Thread& thread, Step::Kind kind);
  void next_step(Thread& thread);
  void run_step(Thread& thread);
  void say_of_page(Node& node, const Step& step);
  void run_waiting_step(Thread& thread, const Step& step);
  bool touch(Thread& thread, CellIndex cell);
  void read(Thread& thread, const Step& step);
  void write(Thread& thread, const Step& step);
  void start_lock(Thread& thread, const Step& step);
  void unlock(Thread& thread, const Step& step);
  void begin_sum(Thread& thread, const Step& step);
  void take_term(Thread& thread, const Step& step);
  void add_sum(Thread& thread, const Step& step);
  void advance(Thread& thread, const Step& step);
  void await(Thread& thread, const Step& step);
  static std::uint64_t count_of(const Thread& thread, const Step& step);
  void post(Thread& thread, const Step& step);
  void take_post(Thread& thread);
  void move(Thread& thread, NodeId to);
  void publish(Thread& thread, const Step& step);
  void receive(Thread& thread);
  void wake_parked(Node& node);

  // --- operations that end with a completion (world_completions.cpp) ---
  void start_atomic(Thread& thread, const Step& step);
  bool merge(Thread& thread);
  void reach_barrier(Thread& thread, const Step& step);
  [[nodiscard]] bool looks_for_others(const Node& node) const;
  void look_for_others(Node& node);
  void on_complete(WaitId wait);
  void on_complete_adding(WaitId wait, std::uint64_t right);
  void on_complete_barrier(Node& node, WaitId wait, std::uint8_t votes);
  void on_complete_gather(Node& node, WaitId wait, const std::vector<Contribution>& contributions);
  void on_complete_atomic(WaitId wait, const AtomicResult& result);
  void end_look(Thread& thread, const Step& step, const AtomicResult& result, WaitId wait);
  void on_complete_await(WaitId wait, std::uint64_t count);
  void on_try_again(WaitId wait);
  void on_complete_try(WaitId wait, bool taken);
  void on_post(Node& node, ByteView payload);
  void take_lock(Thread& thread, std::uint32_t lock);
  void check_count(const Thread& thread, const Step& step, const AtomicResult& result);

  // --- messages ---
  void send(NodeId from, NodeId to, Priority priority, Bytes message,
            std::span<const ByteView> lent);
  void deliver(std::uint32_t channel);
  template <typename Call>
  void enter(Node& node, Call call);

  // --- checks (world_checks.cpp) ---
  void check_invariants() const;
  void check_homes() const;
  void check_exclusive_pages() const;
  void check_copies_agree() const;
  [[nodiscard]] NodeId home_of(PageIndex page) const;
  [[nodiscard]] bool is_at_rest() const;
  [[noreturn]] void report_deadlock() const;

  // --- what happens in the middle of calls (world_races.cpp) ---
  void add_races(std::vector<Event>& events) const;
  [[nodiscard]] bool may_race(const Thread& thread) const;
  void begin_race(Event event);
  void race(const Node& node);
  [[nodiscard]] std::string name_of_race(Event event) const;

  // The features that are at work in the engines' epochs (protocol/context/coverage.hpp).
  std::vector<Features> exchange_active(const std::vector<Features>& active);
  void say(const std::string& line) const;
  [[nodiscard]] bool has_outsiders(std::uint16_t node) const;
  Thread& thread_of(WaitId wait) { return threads_[wait.value() - 1]; }
  static WaitId wait_of(const Thread& thread) { return WaitId(thread.index + 1); }
  Node& node_at(const Thread& thread) { return *nodes_[thread.node]; }

  const Program& program_;
  Printer print_;
  InitialContents initial_;
  Oracle oracle_;
  ExposedHosts hosts_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Thread> threads_;
  std::vector<Channel> channels_;
  std::vector<LockState> locks_;
  bool explored_ = false;
  unsigned calls_until_race_ = 0;  // 0: none is to come
  ThreadIndex racing_ = 0;
  std::map<unsigned, BarrierState> barriers_;  // by their number, from 0
  Clock published_;
  std::map<CellIndex, Clock> flags_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Clock> advanced_;  // by sequencer and count
  std::map<std::uint32_t, std::uint64_t> counts_;                      // of sequencers
  std::map<std::uint64_t, Clock> posts_;                               // on their way
  std::uint64_t posts_sent_ = 0;
};

}  // namespace weft::sim::explore
