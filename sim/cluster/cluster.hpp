// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A simulated job: nodes with real engines and simulated memories, a simulated network, and the
// threads of a generated program. One seed decides everything.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "sim/checkers/fairness_checker.hpp"
#include "sim/checkers/memory.hpp"
#include "sim/checkers/oracle.hpp"
#include "sim/checkers/shared_state.hpp"
#include "sim/checkers/trace.hpp"
#include "sim/cluster/event_queue.hpp"
#include "sim/cluster/exposed_host.hpp"
#include "sim/cluster/network.hpp"
#include "sim/cluster/worker.hpp"
#include "sim/programs/barrier_plan.hpp"
#include "sim/programs/plan.hpp"

namespace weft::sim {

class CoverageTable;

class Cluster {
 public:
  // Even seeds are programs of all kinds, odd ones iterative programs.
  Cluster(std::uint64_t seed, Trace& trace);
  ~Cluster();

  // Runs the program to its end; throws Failure where anything is wrong.
  void run();
  [[nodiscard]] std::uint64_t event_count() const { return event_count_; }
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] EngineCounters counters() const;  // of all nodes together
  void add_coverage(CoverageTable& table) const;

 private:
  struct Node;

  Cluster(bool is_iterative, std::uint64_t number, Trace& trace);
  void make_workers();
  void plan_extra_barriers();
  void place_outsider(Worker& worker, std::size_t index);
  void start_outsiders(const Worker& creator);
  [[nodiscard]] bool has_outsiders(const Node& node) const;

  // --- threads (cluster_threads.cpp) ---
  void step(Worker& worker);
  void do_action(Worker& worker, Action action);
  void start_action(Worker& worker, Action action);
  bool touch(Worker& worker, Action action);
  void access_plain(Worker& worker, Action action);
  void next_action(Worker& worker);
  void trade_pool(Worker& worker, std::uint32_t lock);
  void use_pool(Worker& worker, std::uint32_t lock);
  void start_lock(Worker& worker, Action action);
  void release_lock(Worker& worker, Action action);
  void give_up(std::uint32_t lock);

  // --- sections that only add (cluster_sums.cpp) ---
  void begin_sum(Worker& worker, Action action);
  void take_term(Worker& worker, Action action);
  void add_sum(Worker& worker, Action action);
  void write_sum(Worker& worker, Action action);
  void on_complete_adding(WaitId wait, std::uint64_t right);
  void use_sequencer(Worker& worker, Action action);
  void use_counted_flag(Worker& worker, Action action);
  void use_posts(Worker& worker, Action action);
  void begin_phase(Worker& worker, std::size_t phase);
  void open_phase(std::size_t phase);
  void publish(Worker& worker);

  // --- threads that go on at other nodes (cluster_moves.cpp) ---
  enum class MovePost : std::uint8_t { kArrives, kReleases, kHasReleased };
  void move(Worker& worker, NodeId to);
  void release_elsewhere(Worker& worker, NodeId keeper);
  void release_there(Worker& worker, Action action);
  void post_move(NodeId from, NodeId to, MovePost what, const Worker& worker);
  void on_move_post(Node& node, MovePost what, Worker& worker);

  // --- barriers (cluster_barriers.cpp) ---
  void reach_barrier(Worker& worker);
  void begin_next_phase(Node& node);
  void enter_barrier(Node& node, Worker& worker, BarrierInput input);
  [[nodiscard]] bool is_meeting(const Worker& worker) const;
  void schedule_look(Worker& worker);
  void look_for_others(Worker& worker);
  void gather(Node& node, Worker& worker);
  [[nodiscard]] bool is_before_extra(const Node& node, const Worker& worker) const;
  void reach_extra(Node& node, Worker& worker);
  void end_extra(Node& node, Worker& worker);
  void arrive(Node& node, Worker& worker);
  void on_complete_barrier(Node& node, WaitId wait, std::uint8_t votes);
  void on_complete_await(Node& node, WaitId wait, std::uint64_t count);
  void on_complete_gather(Node& node, WaitId wait, const std::vector<Contribution>& contributions);
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> gathered_nodes(const Node& node) const;
  void use_contribution(Worker& worker, const Contribution& contribution);

  // --- atomics (cluster_atomics.cpp) ---
  void start_atomic(Worker& worker, Action action);
  void start_own_atomic(Worker& worker, CellIndex cell);
  void start_spin(Worker& worker, Action action);
  void start_operation(Worker& worker, CellIndex cell, AtomicOperation operation,
                       std::uint64_t operand, Ordering ordering, std::uint64_t expected = 0,
                       bool patient = false);
  bool try_merge(Worker& worker, Ordering ordering);
  void end_atomic(Worker& worker, const AtomicResult& result);
  void end_own_atomic(Worker& worker, CellIndex cell, const AtomicResult& result);
  void end_count(Worker& worker, CellIndex cell, std::uint64_t before);
  void store_flag(Worker& worker, Action action);
  void look_at_flag(Worker& worker, Action action);
  void end_look(Worker& worker, Action action, std::uint64_t value);
  void end_flag_wait(Worker& worker, Action action, std::uint64_t value);
  void end_spin_lock(Worker& worker, std::uint32_t group, std::uint64_t before);
  void end_arrive(Worker& worker, std::uint32_t group, std::uint64_t before);

  // --- completions ---
  void on_complete(Node& node, WaitId wait);
  void on_complete_atomic(WaitId wait, const AtomicResult& result);
  void on_try_again(WaitId wait);
  void on_complete_try(WaitId wait, bool taken);
  void on_publication(Node& node, ByteView payload);
  void on_post(Node& node, ByteView payload);
  void take_lock(Worker& worker, std::uint32_t lock);

  // --- the loop ---
  void deliver(std::uint32_t channel);
  // Nobody at its receiver needs the next message of the channel yet: the node's threads compute,
  // and are not woken for it.
  [[nodiscard]] bool is_unneeded(std::uint32_t channel) const;
  void schedule(Worker& worker, std::uint64_t late_by = 0);
  void schedule_retry(Worker& worker);
  // Other threads of a node run while its engine is in the middle of something.
  void interleave(Node& node);
  // The home of a page that another node reads goes on.
  void interleave_home(NodeId home);
  // The next event is the arrival of a message there.
  [[nodiscard]] bool is_next_at(NodeId node) const;
  void wake_faulted(Node& node);
  WaitId wait_of(const Worker& worker) const { return WaitId(worker.index + 1); }
  Worker& worker_of(WaitId wait) { return workers_[wait.value() - 1]; }
  Node& node_of(const Worker& worker) { return *nodes_[worker.node]; }
  [[nodiscard]] const Node& node_of(const Worker& worker) const { return *nodes_[worker.node]; }
  PhaseKey key_of(std::size_t phase) const {
    return phase < plan_.phases.size() ? plan_.phases[phase].key : PhaseKey();
  }
  const Phase& phase_of(const Worker& worker) const { return plan_.phases[worker.phase]; }
  PhaseState& state_of(const Worker& worker) { return phase_states_[worker.phase]; }
  // The state of a spin lock, and its number there.
  PhaseState& state_of_spin(const Worker& worker, std::uint32_t& group);

  // --- checks (cluster_checks.cpp) ---
  void check_invariants() const;
  void check_exclusive_pages() const;
  void check_end() const;
  void check_copies_agree() const;
  [[nodiscard]] NodeId home_of(PageIndex page) const;
  void check_known_homes() const;
  [[nodiscard]] Bytes settled_contents(const Node& node, PageIndex page) const;
  [[noreturn]] void report_deadlock() const;

  Random random_;
  Trace& trace_;
  Plan plan_;
  InitialContents initial_;
  EventQueue events_;
  Network network_;
  Oracle oracle_;
  FairnessChecker fairness_;
  ExposedHosts hosts_;
  Random exposing_random_, meeting_random_;
  bool interleaving_home_ = false;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Worker> workers_;
  std::vector<LockState> locks_;
  std::vector<PhaseState> phase_states_;
  PhaseState outside_state_;           // of what threads outside the team use
  std::vector<Clock> phase_clocks_;    // what all threads know when the phase begins
  std::size_t arrived_ = 0;            // threads at the barrier that ends the present phase
  std::vector<BarrierPlan> barriers_;  // [phase] of the one that ends it
  unsigned interleave_percent_;
  Random pressure_random_;
  unsigned pressure_percent_;  // of the deliveries find memory short
  unsigned think_time_;
  bool wakes_for_all_;  // in most runs: what is unneeded comes all the same
  std::uint64_t event_count_ = 0;
};

}  // namespace weft::sim
