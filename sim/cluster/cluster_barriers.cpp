// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers of the simulated program: arrivals, what nodes bring to them, and what comes of it.
#include <algorithm>

#include "sim/checkers/failure.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/cluster/node.hpp"

namespace weft::sim {

// The threads of a node meet first; the last of them takes the node to the barrier of all. Where
// the nodes bring something, it first waits for what the node's children in the tree bring.
void Cluster::reach_barrier(Worker& worker) {
  Node& node = node_of(worker);
  const std::size_t next = worker.phase + 1;
  worker.state = Worker::State::kWaiting;
  const bool is_last = node.arrived + 1 == plan_.threads_per_node;
  const BarrierPlan& barrier = barriers_[worker.phase];
  if (is_last && is_before_extra(node, worker)) return reach_extra(node, worker);
  if (is_last && !node.gathered && barrier.kind != BarrierPlan::Kind::kPlain) {
    return gather(node, worker);
  }
  join(phase_clocks_[next], oracle_.release(worker.index));
  if (++arrived_ == plan_.team_size()) {
    arrived_ = 0;
    open_phase(next);
  }
  ++node.arrived;
  if (is_last) arrive(node, worker);
}

void Cluster::gather(Node& node, Worker& worker) {
  node.enter([&](Engine& engine) { engine.handle_gather(wait_of(worker)); });
  if (is_meeting(worker)) schedule_look(worker);
}

bool Cluster::is_before_extra(const Node& node, const Worker& worker) const {
  return node.extra < barriers_[worker.phase].extra;
}

void Cluster::reach_extra(Node& node, Worker& worker) {
  const BarrierPlan& barrier = barriers_[worker.phase];
  if (barrier.extra_bytes && !node.gathered) return gather(node, worker);
  node.gathered = false;
  ++node.extra;
  node.in_extra = true;
  BarrierInput input;
  input.next = key_of(worker.phase);
  if (barrier.extra_votes) input.votes = barrier.votes[node.id.value()];
  input.contribution = std::exchange(node.contribution, {});
  enter_barrier(node, worker, std::move(input));
}

void Cluster::arrive(Node& node, Worker& worker) {
  const BarrierPlan& barrier = barriers_[worker.phase];
  node.arrived = 0;
  node.gathered = false;
  node.next_phase = worker.phase + 1;
  BarrierInput input;
  input.next = key_of(node.next_phase);
  input.votes = barrier.votes[node.id.value()];
  input.contribution = std::exchange(node.contribution, {});
  input.release_to_parent = barrier.kind == BarrierPlan::Kind::kMemory;
  const bool is_serial =
      node.next_phase < plan_.phases.size() && plan_.phases[node.next_phase].serial;
  input.precedes_publication = is_serial && worker.phase % 4 != 3;
  input.threads_wait = node.id == NodeId(0) || !input.precedes_publication;
  enter_barrier(node, worker, std::move(input));
}

void Cluster::enter_barrier(Node& node, Worker& worker, BarrierInput input) {
  input.others_here = has_outsiders(node);
  node.in_barrier = true;
  worker.vain_tries = 0;
  node.enter([&](Engine& engine) { engine.handle_barrier(wait_of(worker), std::move(input)); });
  if (is_meeting(worker)) schedule_look(worker);
}

// --- where nodes meet without messages ---

// The thread that took its node there looks for others; for a publication the first one does.
bool Cluster::is_meeting(const Worker& worker) const {
  if (!node_of(worker).engine.is_meeting()) return false;
  if (worker.state == Worker::State::kIdle) return worker.local == 0;
  return worker.state == Worker::State::kWaiting && !worker.todo.empty() &&
         worker.todo.front().kind == Action::Kind::kBarrier;
}

// Ever later, as schedule_retry.
void Cluster::schedule_look(Worker& worker) {
  constexpr unsigned kMostDoublings = 10;
  worker.vain_tries = std::min(worker.vain_tries + 1, kMostDoublings);
  const std::uint64_t pause = meeting_random_.below(std::uint64_t{1} << worker.vain_tries);
  events_.add(Event::Kind::kStep, worker.index, events_.now() + 1 + pause);
}

void Cluster::look_for_others(Worker& worker) {
  const bool gives_up = meeting_random_.chance(4);
  node_of(worker).enter([&](Engine& engine) { engine.handle_meeting(gives_up); });
  if (is_meeting(worker)) schedule_look(worker);
}

// On some nodes the thread writes before the next one.
void Cluster::end_extra(Node& node, Worker& worker) {
  node.in_barrier = node.in_extra = false;
  const std::vector<CellIndex>& owned = phase_of(worker).owned[worker.index];
  if (!owned.empty() && meeting_random_.chance(15)) {
    worker.todo.push_front({Action::Kind::kWrite, owned.front(), 0});
  }
  schedule(worker);
}

// Those whose contributions a node gets.
std::pair<std::uint64_t, std::uint64_t> Cluster::gathered_nodes(const Node& node) const {
  const EngineConfig& config = plan_.config;
  const bool is_root = node.id == NodeId(0);
  if (config.passes_contributions_on()) return {is_root ? 1 : 0, is_root ? config.node_count : 0};
  const std::uint64_t first = node.id.value() * std::uint64_t{config.barrier_arity} + 1;
  return {first, std::min<std::uint64_t>(first + config.barrier_arity, config.node_count)};
}

void Cluster::on_complete_gather(Node& node, WaitId wait,
                                 const std::vector<Contribution>& contributions) {
  Worker& worker = worker_of(wait);
  SIM_CHECK(worker.state == Worker::State::kWaiting && !node.gathered,
            "thread {} gets contributions unasked", worker.index);
  trace_.note(5, worker.index, contributions.size());
  node.gathered = true;
  node.contribution = {static_cast<std::byte>(node.id.value())};
  auto [child, end] = gathered_nodes(node);
  for (const Contribution& contribution : contributions) {
    SIM_CHECK(contribution.from == NodeId(static_cast<std::uint16_t>(child)) &&
                  !contribution.bytes.empty() &&
                  contribution.bytes.front() == static_cast<std::byte>(child),
              "node {} gets a wrong contribution of node {}", node.id.value(),
              contribution.from.value());
    ++child;
    use_contribution(worker, contribution);
  }
  SIM_CHECK(child >= end, "node {} misses contributions", node.id.value());
  SIM_CHECK(node.id != NodeId(0) || node.contribution.size() == plan_.config.node_count,
            "node 0 has the contributions of {} nodes", node.contribution.size());
  const std::vector<CellIndex>& owned = phase_of(worker).owned[worker.index];
  const bool writes = !is_before_extra(node, worker) || meeting_random_.chance(15);
  if (writes && !owned.empty()) {
    worker.todo.push_front({Action::Kind::kWrite, owned.front(), 0});
  }
  schedule(worker);
}

// The nodes below have arrived: what they wrote may be read, if they released it.
void Cluster::use_contribution(Worker& worker, const Contribution& contribution) {
  Node& node = node_of(worker);
  node.contribution.insert(node.contribution.end(), contribution.bytes.begin(),
                           contribution.bytes.end());
  const bool is_told = barriers_[worker.phase].kind == BarrierPlan::Kind::kMemory;
  if (!is_told || is_before_extra(node, worker)) return;
  for (const std::byte below : contribution.bytes) {
    const unsigned first = std::to_integer<unsigned>(below) * plan_.threads_per_node;
    for (unsigned thread = first; thread < first + plan_.threads_per_node; ++thread) {
      oracle_.acquire(worker.index, oracle_.release(static_cast<ThreadIndex>(thread)));
      const std::vector<CellIndex>& owned = phase_of(worker).owned[thread];
      for (std::size_t cell = 0; cell < std::min<std::size_t>(owned.size(), 3); ++cell) {
        worker.todo.push_front({Action::Kind::kRead, owned[cell], 0});
      }
    }
  }
}

void Cluster::on_complete_barrier(Node& node, WaitId wait, std::uint8_t votes) {
  node.has_met_others = true;
  Worker& worker = worker_of(wait);
  SIM_CHECK(worker.state == Worker::State::kWaiting && node.in_barrier,
            "thread {} leaves a barrier unasked", worker.index);
  const BarrierPlan& barrier = barriers_[worker.phase];
  const bool has_votes = !node.in_extra || barrier.extra_votes;
  const std::uint8_t all_votes = has_votes ? barrier.all_votes : std::uint8_t{0};
  SIM_CHECK(votes == all_votes, "node {} gets the votes {} for {}", node.id.value(), votes,
            all_votes);
  if (node.in_extra) return end_extra(node, worker);
  trace_.note(2, worker.index, worker.todo.front().kind);
  begin_next_phase(node);
}

void Cluster::begin_next_phase(Node& node) {
  node.in_barrier = false;
  node.extra = 0;
  for (unsigned local = 0; local < plan_.threads_per_node; ++local) {
    Worker& member = workers_[node.id.value() * plan_.threads_per_node + local];
    const bool alone = node.next_phase < plan_.phases.size() &&
                       plan_.phases[node.next_phase].serial && member.index != 0;
    member.state = Worker::State::kIdle;
    member.todo.clear();
    if (!alone) begin_phase(member, node.next_phase);
  }
  Worker& first = *node.workers.front();
  if (is_meeting(first)) schedule_look(first);
}

}  // namespace weft::sim
