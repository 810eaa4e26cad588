// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/cluster/cluster.hpp"

#include <algorithm>

#include "sim/checkers/describe.hpp"
#include "sim/checkers/failure.hpp"
#include "sim/cluster/node.hpp"
#include "sim/coverage/coverage.hpp"
#include "sim/programs/iterative_plan.hpp"

namespace weft::sim {
namespace {

// More than any run needs: beyond this, threads run and get nowhere.
constexpr std::uint64_t kMostEvents = 3'000'000;

// In most runs no nodes are on one host.
std::uint16_t choose_nodes_per_host(Random random) {
  if (random.chance(65)) return 1;
  return random.chance(70) ? 64 : 2;
}

}  // namespace

Cluster::Cluster(std::uint64_t seed, Trace& trace) : Cluster(seed % 2 == 1, seed / 2, trace) {}

Cluster::Cluster(bool is_iterative, std::uint64_t seed, Trace& trace)
    : random_(seed),
      trace_(trace),
      plan_(is_iterative ? make_iterative_plan(random_) : make_plan(random_)),
      initial_(random_),
      network_(plan_.config.node_count, random_.next(), plan_.is_sparse, events_),
      oracle_(plan_, initial_),
      fairness_(plan_.config.lock_fairness),
      hosts_(choose_nodes_per_host(Random(seed ^ 0x4057))),
      exposing_random_(seed ^ 0xe4905e),
      meeting_random_(seed ^ 0x3ee7),
      locks_(plan_.locks.size() + plan_.outside_locks.size()),
      phase_states_(plan_.phases.size() + 1),
      phase_clocks_(plan_.phases.size() + 1),
      interleave_percent_(random_.chance(70) ? 30 : 0),
      pressure_random_(~seed),
      pressure_percent_(!plan_.is_sparse && pressure_random_.chance(is_iterative ? 15 : 30)
                            ? (is_iterative ? 3 : 25)
                            : 0),
      think_time_(static_cast<unsigned>(1 + random_.below(60))),
      wakes_for_all_(Random(seed ^ 0x9a1e7).chance(70)) {
  const auto policies = is_iterative ? choose_iterative_policies : choose_policies;
  policies(Random(seed ^ 0x5eed), plan_.config);
  Random barrier_random(seed * 31 + 7);
  if (barrier_random.chance(50)) {
    plan_.config.contribution_part_bytes = static_cast<std::uint32_t>(1 + barrier_random.below(4));
  }
  Random kind_random(~seed);
  for (std::size_t phase = 0; phase < plan_.phases.size(); ++phase) {
    barriers_.emplace_back(barrier_random, plan_.config.node_count);
    // Who gathers arrives when all have arrived, so that arrivals never cross.
    if (is_iterative && kind_random.chance(85)) barriers_.back().kind = BarrierPlan::Kind::kPlain;
  }
  plan_.config.exposure_proof = static_cast<std::uint32_t>(exposing_random_.below(3));
  if (Random(seed ^ 0xfe3).chance(50)) plan_.config.few_prefetched = 1;
  // None of the rare seeds of bugs_test.cpp has exchanges, commits, moves or collections: they stay
  // as they were.
  constexpr std::uint32_t kNeverWorth = 1'000'000;
  plan_.config.exchange_percent = Random(seed ^ 0xf9aa).chance(40) ? 0 : kNeverWorth;
  plan_.with_commits = Random(seed ^ 0x1039).chance(12);
  plan_.with_moves = !plan_.outsiders.empty() && Random(seed ^ 0x1865).chance(30);
  // Records are few, and epochs short.
  Random collecting(seed ^ 0xc134);
  plan_.config.collected_records =
      static_cast<std::uint32_t>(collecting.chance(25) ? 1 + collecting.below(6) : 0);
  plan_.config.empty_barrier_proof = static_cast<std::uint32_t>(meeting_random_.below(3));
  hosts_.meanwhile = hosts_.before_operation = [this](NodeId home) { interleave_home(home); };
  for (std::uint16_t index = 0; index < plan_.config.node_count; ++index) {
    EngineConfig config = plan_.config;
    config.self = NodeId(index);
    nodes_.push_back(std::make_unique<Node>(*this, config, random_.next()));
    Node& node = *nodes_.back();
    node.memory.interleave = [this, &node] { interleave(node); };
  }
  plan_extra_barriers();
  Phase outside;
  outside.spins = plan_.outside_spins;
  outside_state_ = PhaseState(outside, oracle_);
  make_workers();
}

Cluster::~Cluster() = default;

void Cluster::make_workers() {
  workers_.resize(plan_.thread_count());
  for (std::size_t index = 0; index < workers_.size(); ++index) {
    Worker& worker = workers_[index];
    worker.index = static_cast<ThreadIndex>(index);
    worker.node = static_cast<std::uint16_t>(index / plan_.threads_per_node);
    worker.local = static_cast<std::uint16_t>(index % plan_.threads_per_node);
    worker.random = Random(random_.next());
    Random apart = worker.random;
    worker.peek_random = Random(apart.next());
    worker.prefetch_random = Random(apart.next());
    worker.commit_random = Random(apart.next());
    if (index >= plan_.team_size()) place_outsider(worker, index - plan_.team_size());
    nodes_[worker.node]->workers.push_back(&worker);
  }
}

// Where nodes may meet without messages.
void Cluster::plan_extra_barriers() {
  if (hosts_.meeting() == nullptr) return;
  for (BarrierPlan& barrier : barriers_) {
    barrier.extra = static_cast<unsigned>(meeting_random_.below(4));
    barrier.extra_votes = meeting_random_.chance(30);
    barrier.extra_bytes = meeting_random_.chance(30);
  }
}

void Cluster::place_outsider(Worker& worker, std::size_t index) {
  const Plan::Outsider& outsider = plan_.outsiders[index];
  worker.is_outsider = true;
  worker.node = outsider.node;
  worker.local = static_cast<std::uint16_t>(plan_.threads_per_node + index);
  worker.phase = plan_.phases.size();
  worker.steps_left = outsider.steps;
}

// By the first thread of their node, when it begins the phase.
void Cluster::start_outsiders(const Worker& creator) {
  for (std::size_t index = 0; index < plan_.outsiders.size(); ++index) {
    const Plan::Outsider& outsider = plan_.outsiders[index];
    if (outsider.node != creator.node || outsider.first_phase != creator.phase) continue;
    Worker& worker = workers_[plan_.team_size() + index];
    oracle_.acquire(worker.index, oracle_.release(creator.index));
    schedule(worker);
  }
}

bool Cluster::has_outsiders(const Node& node) const {
  return plan_.with_moves || std::ranges::any_of(node.workers, [](const Worker* worker) {
           return worker->is_outsider && worker->state != Worker::State::kIdle &&
                  worker->state != Worker::State::kDone;
         });
}

void Cluster::run() {
  open_phase(0);
  for (Worker& worker : workers_) {
    if (!worker.is_outsider && (worker.index == 0 || !plan_.phases[0].serial)) {
      begin_phase(worker, 0);
    }
  }
  while (!events_.empty()) {
    SIM_CHECK(++event_count_ < kMostEvents, "threads run and the program does not end");
    const Event event = events_.next();
    trace_.note(1, event.time, event.subject, event.kind);
    if (event.kind == Event::Kind::kDeliver) {
      deliver(event.subject);
    } else {
      step(workers_[event.subject]);
    }
    if (event_count_ % 64 == 0) check_invariants();
  }
  for (const Worker& worker : workers_) {
    if (worker.state != Worker::State::kDone) report_deadlock();
  }
  check_end();
}

// A thread that waits for others polls, but for those that wait for threads of their node. So does
// a node whose program is over.
bool Cluster::is_unneeded(std::uint32_t channel) const {
  const Node& node = *nodes_[network_.receiver(channel).value()];
  if (!network_.is_quiet(channel) || node.engine.awaits_others()) return false;
  const bool is_over = std::ranges::all_of(
      node.workers, [](const Worker* worker) { return worker->state == Worker::State::kDone; });
  return !is_over && std::ranges::none_of(node.workers, [](const Worker* worker) {
    switch (worker->state) {
      case Worker::State::kIdle:
        return !worker->is_outsider;
      case Worker::State::kRunning:
        return worker->vain_tries > 0;
      case Worker::State::kWaiting:
        return worker->todo.front().kind != Action::Kind::kBarrier;
      default:
        return worker->state == Worker::State::kFault;
    }
  });
}

void Cluster::deliver(std::uint32_t channel) {
  constexpr std::uint64_t kNextLook = 50;
  const bool unneeded = is_unneeded(channel);
  if (unneeded && !wakes_for_all_) {
    return events_.add(Event::Kind::kDeliver, channel, events_.now() + kNextLook);
  }
  const Network::Delivery delivery = network_.take(channel);
  Node& node = *nodes_[delivery.to.value()];
  if (trace_.print) {
    trace_.print(fmt::format("{:8} node {} gets from node {} {} ({} bytes)", events_.now(),
                             delivery.to.value(), delivery.from.value(), describe(delivery.message),
                             delivery.message.size()));
  }
  trace_.note_bytes(delivery.message);
  fairness_.on_delivered(delivery.to, node.engine.epoch(), delivery.message);
  node.has_no_effect = unneeded;
  node.enter([&](Engine& engine) { engine.handle_message(delivery.from, delivery.message); });
  node.has_no_effect = false;
  if (pressure_random_.chance(5)) node.enter([](Engine& engine) { engine.handle_flush(); });
  if (!pressure_random_.chance(pressure_percent_)) return;
  const std::uint64_t pages = 1 + pressure_random_.below(6);
  const bool may_write_back = pressure_random_.chance(50);
  node.enter([&](Engine& engine) { engine.handle_memory_pressure(pages, may_write_back); });
}

void Cluster::schedule(Worker& worker, std::uint64_t late_by) {
  constexpr unsigned kSlow = 20;
  worker.state = Worker::State::kRunning;
  const bool is_slow = !worker.is_outsider && plan_.slow_node == worker.node;
  events_.add(
      Event::Kind::kStep, worker.index,
      events_.now() + 1 + late_by + worker.random.below(think_time_ * (is_slow ? kSlow : 1)));
}

// Of a loop that waits for others: ever later, since some networks here are slow indeed.
void Cluster::schedule_retry(Worker& worker) {
  worker.state = Worker::State::kRunning;
  worker.vain_tries = std::min(worker.vain_tries + 1, 16U);
  const std::uint64_t pause = std::uint64_t{1} << worker.vain_tries;
  events_.add(Event::Kind::kStep, worker.index, events_.now() + 1 + worker.random.below(pause));
}

void Cluster::interleave(Node& node) {
  if (node.interleaving || !random_.chance(interleave_percent_)) return;
  node.interleaving = true;
  for (std::uint64_t left = 1 + random_.below(4); left > 0; --left) {
    Worker& worker = *node.workers[random_.below(node.workers.size())];
    if (worker.state != Worker::State::kRunning || worker.in_engine || worker.todo.empty())
      continue;
    const Action action = worker.todo.front();
    if (action.kind != Action::Kind::kRead && action.kind != Action::Kind::kWrite) continue;
    const PageIndex page = plan_.cells[action.a].where.page();
    if (node.memory.access(page) == Memory::Access::kAbsent) continue;
    access_plain(worker, action);
    worker.todo.pop_front();
  }
  node.interleaving = false;
}

void Cluster::interleave_home(NodeId home) {
  if (interleaving_home_) return;
  interleaving_home_ = true;
  interleave(*nodes_[home.value()]);
  for (unsigned most = 3; most > 0 && is_next_at(home) && exposing_random_.chance(60); --most) {
    deliver(events_.next().subject);
  }
  interleaving_home_ = false;
}

bool Cluster::is_next_at(NodeId node) const {
  return !events_.empty() && events_.top().kind == Event::Kind::kDeliver &&
         network_.receiver(events_.top().subject) == node;
}

void Cluster::wake_faulted(Node& node) {
  for (Worker* worker : node.workers) {
    if (worker->state != Worker::State::kFault) continue;
    if (node.engine.is_mapped(worker->faulted)) {
      schedule(*worker);
    } else if (std::exchange(worker->asked_at, node.memory.unmap_calls()) !=
               node.memory.unmap_calls()) {
      // The page may have come and gone again.
      node.engine.handle_fault(worker->faulted, worker->local);
    }
  }
}

void Cluster::on_complete(Node& node, WaitId wait) {
  Worker& worker = worker_of(wait);
  SIM_CHECK(worker.state == Worker::State::kWaiting, "thread {} gets a completion unasked",
            worker.index);
  const Action action = worker.todo.front();
  trace_.note(2, worker.index, action.kind);
  if (action.kind == Action::Kind::kPublish) return begin_next_phase(node);
  if (action.kind == Action::Kind::kFlagWait) {
    return end_flag_wait(worker, action, *std::exchange(worker.flag_value, std::nullopt));
  }
  if (action.kind == Action::Kind::kAcquire) take_lock(worker, action.a);
  if (action.kind == Action::Kind::kBeginSum) {
    take_lock(worker, action.a);
    worker.skip_to(Action::Kind::kAcquire);
  }
  if (action.kind == Action::Kind::kAwait) {
    const std::uint64_t value = phase_of(worker).sequencers[action.a].first + action.b;
    const auto released = state_of(worker).advances.find({action.a, value});
    if (released != state_of(worker).advances.end()) {
      oracle_.acquire(worker.index, released->second);
    } else {
      SIM_CHECK(action.b == 0, "await of sequencer {} ends before turn {}", action.a, action.b);
    }
  }
  next_action(worker);
}

void Cluster::on_complete_atomic(WaitId wait, const AtomicResult& result) {
  Worker& worker = worker_of(wait);
  SIM_CHECK(worker.state == Worker::State::kWaiting, "thread {} gets an atomic's result unasked",
            worker.index);
  trace_.note_bytes(result.after);
  end_atomic(worker, result);
}

void Cluster::on_try_again(WaitId wait) {
  Worker& worker = worker_of(wait);
  const Action action = worker.todo.front();
  SIM_CHECK(worker.state == Worker::State::kWaiting &&
                (action.kind == Action::Kind::kAcquire || action.kind == Action::Kind::kBeginSum),
            "thread {} is to try again what it has not tried", worker.index);
  --locks_[action.a].users;
  schedule(worker);
}

void Cluster::on_complete_try(WaitId wait, bool taken) {
  Worker& worker = worker_of(wait);
  SIM_CHECK(
      worker.state == Worker::State::kWaiting && worker.todo.front().kind == Action::Kind::kTry,
      "thread {} gets the result of a try unasked", worker.index);
  const Action action = worker.todo.front();
  LockState& lock = locks_[action.a];
  const bool was_in_use = lock.tries[worker.index];
  lock.tries.erase(worker.index);
  trace_.note(3, worker.index, taken);
  if (taken) {
    ++lock.users;
    lock.mark_in_use();
    take_lock(worker, action.a);
  } else {
    SIM_CHECK(was_in_use, "thread {} is told that lock {} is not free, and it was all the time",
              worker.index, action.a);
    worker.todo.erase(worker.todo.begin() + 1, worker.todo.begin() + 1 + action.b);
  }
  next_action(worker);
}

void Cluster::take_lock(Worker& worker, std::uint32_t index) {
  LockState& lock = locks_[index];
  SIM_CHECK(lock.holder < 0, "threads {} and {} both hold lock {}", lock.holder, worker.index,
            index);
  lock.holder = worker.index;
  lock.keeper = worker.node;
  fairness_.on_taken(NodeId(worker.node), plan_.lock(index));
  oracle_.acquire(worker.index, lock.released);
  oracle_.acquire(worker.index, lock.added);
}

void Cluster::on_publication(Node& node, ByteView payload) {
  ByteReader reader(payload);
  const std::uint64_t phase = reader.varint();
  SIM_CHECK(reader.finished() && phase < plan_.phases.size(), "node {} gets a wrong payload",
            node.id.value());
  for (unsigned local = 0; local < plan_.threads_per_node; ++local) {
    Worker& worker = workers_[node.id.value() * plan_.threads_per_node + local];
    SIM_CHECK(worker.state == Worker::State::kIdle, "publication while thread {} runs",
              worker.index);
    begin_phase(worker, phase);
  }
}

#ifdef WEFT_DELIBERATE_BUGS
void Cluster::add_coverage(CoverageTable& table) const {
  for (const std::unique_ptr<Node>& node : nodes_) {
    table.add(plan_.config, node->engine.coverage().counts_at_end());
  }
}
#endif

EngineCounters Cluster::counters() const {
  EngineCounters all;
  for (const std::unique_ptr<Node>& node : nodes_) all += node->engine.counters();
  return all;
}

}  // namespace weft::sim
