// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/programs/iterative_plan.hpp"

#include <algorithm>

#include "sim/programs/mesh.hpp"
#include "sim/programs/phase_maker.hpp"
#include "sim/programs/phase_plan.hpp"

namespace weft::sim {
namespace {

// How a cell is used in the phases of the loop.
struct Life {
  enum class Kind : std::uint8_t {
    kPart,     // by one thread: its own part of a page that others may write, too
    kRow,      // written by its thread in one phase, read by all in the next
    kReduced,  // reset by one thread, accumulated under a lock, read by all
    kGuarded,  // always under a lock
    kTable,    // written once, read by all
    kMigrant,  // by another thread in each turn
    kByTurns,  // by two threads, in turn
    kCounter,  // added to by all, atomically
    kAny,      // by chance, the same in each turn: flags, spin locks, arrivals, posts ...
    kKinds
  };
  Kind kind = Kind::kPart;
  unsigned offset = 0;  // the phase in which it begins
  ThreadIndex owner = 0, other = 0;
  std::uint64_t lock = 0;
};

struct LoopPhase {
  PhaseKey key;
  std::uint64_t habit = 0;
  bool serial = false;
};

class Loop {
 public:
  Loop(Random& random, Plan& plan) : random_(random), plan_(plan) {}

  void make();

 private:
  void choose_body();
  void choose_life(Life& life);
  void add_turn();
  void disturb();
  void add_phase(std::size_t index);
  void place(PhaseMaker& maker, CellIndex cell, std::size_t index);
  ThreadIndex any_thread() { return static_cast<ThreadIndex>(random_.below(plan_.team_size())); }
  LoopPhase& any_phase() { return body_[random_.below(body_.size())]; }

  Random& random_;
  Plan& plan_;
  Weights weights_{};
  std::vector<Life> lives_;  // [cell]
  std::vector<LoopPhase> body_;
  std::vector<Life::Kind> kinds_;  // that this program has
  std::size_t turn_ = 0;
  // In the present turn:
  std::size_t left_out_ = 0, doubled_ = 0, late_ = 0;  // phases, counted from one; 0: none
};

void Loop::choose_life(Life& life) {
  life.kind = kinds_[random_.below(kinds_.size())];
  life.offset = static_cast<unsigned>(random_.below(3));
  life.owner = any_thread();
  life.other = any_thread();
  life.lock = random_.below(plan_.locks.size());
}

void Loop::choose_body() {
  for (std::uint64_t count = 1 + random_.below(3); count > 0; --count) {
    kinds_.push_back(
        static_cast<Life::Kind>(random_.below(static_cast<std::uint64_t>(Life::Kind::kKinds))));
  }
  // Mostly there is something else to be read.
  if (plan_.with_mesh)
    kinds_ = {Life::Kind::kGuarded, Life::Kind::kReduced, Life::Kind::kTable, kinds_.front()};
  weights_ = {.special = 30,
              .guarded = 15,
              .pool = 10,
              .sequenced = random_.chance(30) ? 10U : 0U,
              .read_only = 15};
  lives_.resize(plan_.cells.size());
  for (Life& life : lives_) choose_life(life);
  const std::uint64_t phases = 1 + random_.below(4);
  const bool has_regions = random_.chance(25);
  for (std::uint64_t index = 0; index < phases; ++index) {
    body_.push_back({PhaseKey(index + 1), random_.next() | 1, false});
  }
  // Node 0 goes on alone and publishes; never twice in a row.
  if (has_regions && phases > 1) body_.back().serial = true;
}

void Loop::place(PhaseMaker& maker, CellIndex cell, std::size_t index) {
  const Life& life = lives_[cell];
  const std::size_t at = index + life.offset;
  switch (life.kind) {
    case Life::Kind::kRow:
      return at % 2 == 0 ? maker.give_to(cell, life.owner) : maker.let_all_read(cell);
    case Life::Kind::kReduced:
      if (at % 3 == 1) return maker.guard_by(cell, life.lock);
      return at % 3 == 0 ? maker.give_to(cell, life.owner) : maker.let_all_read(cell);
    case Life::Kind::kGuarded:
      return maker.guard_by(cell, life.lock);
    case Life::Kind::kTable:
      return turn_ == 0 ? maker.give_to(cell, life.owner) : maker.let_all_read(cell);
    case Life::Kind::kMigrant:
      return maker.give_to(cell,
                           static_cast<ThreadIndex>((life.owner + turn_) % plan_.team_size()));
    case Life::Kind::kByTurns:
      return maker.give_to(cell, at % 2 == 0 ? life.owner : life.other);
    case Life::Kind::kCounter:
      if (!plan_.cells[cell].aligned) return maker.guard_by(cell, life.lock);
      return maker.let_all_count(cell);
    case Life::Kind::kAny:
      return maker.decide_later(cell);
    default:
      return maker.give_to(cell, life.owner);
  }
}

void Loop::add_phase(std::size_t index) {
  const LoopPhase& phase = body_[index];
  Random same(phase.habit);  // so that what is left to chance is the same in each turn
  PhaseMaker maker(same, plan_, weights_, 1);
  if (phase.serial) {
    plan_.phases.push_back(maker.make(true));
  } else {
    maker.begin();
    for (CellIndex cell = plan_.outside_cells; cell < plan_.cells.size(); ++cell) {
      place(maker, cell, index);
    }
    plan_.phases.push_back(maker.finish());
  }
  Phase& made = plan_.phases.back();
  made.key = phase.key;
  made.habit = phase.habit;
  made.steps = 1;
  if (late_ != index + 1) return;
  made.late_node = static_cast<std::uint16_t>(random_.below(plan_.config.node_count));
  made.late_by = static_cast<std::uint32_t>(1) << random_.below(12);
}

// What changes for one turn alone is changed back by add_turn.
void Loop::disturb() {
  switch (random_.below(6)) {
    case 0:
    case 1:
      return choose_life(lives_[random_.below(lives_.size())]);
    case 2:
      any_phase().habit = random_.next() | 1;
      return;
    case 3:
      left_out_ = 1 + random_.below(body_.size());
      return;
    case 4:
      doubled_ = 1 + random_.below(body_.size());
      return;
    default:
      late_ = 1 + random_.below(body_.size());
  }
}

void Loop::add_turn() {
  for (std::size_t index = 0; index < body_.size(); ++index) {
    const bool after_serial = !plan_.phases.empty() && plan_.phases.back().serial;
    if (left_out_ == index + 1 || (body_[index].serial && after_serial)) continue;
    add_phase(index);
    if (doubled_ == index + 1 && !body_[index].serial) add_phase(index);
  }
  ++turn_;
}

void Loop::make() {
  choose_body();
  const std::uint64_t turns = 6 + random_.below(30);
  const unsigned chances[] = {0, 5, 15, 30};
  const unsigned chance = chances[random_.below(4)];
  while (turn_ < turns) {
    left_out_ = doubled_ = late_ = 0;
    const std::vector<Life> lives = lives_;
    const std::vector<LoopPhase> body = body_;
    const bool is_disturbed = turn_ > 2 && random_.chance(chance);
    if (is_disturbed) disturb();
    add_turn();
    if (!is_disturbed || random_.chance(50)) continue;
    lives_ = lives;
    body_ = body;
  }
  // The program ends with a barrier; and all may have been left out.
  body_.front().serial = false;
  if (plan_.phases.empty() || plan_.phases.back().serial) add_phase(0);
  number_turns(plan_);
  if (random_.chance(20)) hold_locks_over(random_, plan_, 5);
}

// A few in a page, next to each other or apart.
void place_iterated_cells(Random& random, Plan& plan, std::uint64_t first_page,
                          std::uint64_t pages) {
  const bool with_atomics = random.chance(40);
  const std::uint64_t per_page = 1 + random.below(4);
  for (std::uint64_t page = first_page; page < first_page + pages; ++page) {
    std::uint64_t at = random.below(64) * 8;
    for (std::uint64_t index = 0; index < per_page; ++index) {
      Cell cell;
      cell.size = static_cast<std::uint8_t>(1U << random.below(4));
      cell.aligned = with_atomics;
      at = (at + cell.size - 1) / cell.size * cell.size;
      cell.where = GlobalOffset(page * kPageBytes + at);
      at += cell.size + (random.chance(30) ? random.below(300) : 0);
      plan.cells.push_back(cell);
    }
  }
}

void choose_iterated_sizes(Random& random, Plan& plan) {
  EngineConfig& config = plan.config;
  config.node_count = static_cast<std::uint16_t>(
      random.chance(50) ? 2 : 3 + random.below(random.chance(80) ? 3 : 7));
  config.barrier_arity = static_cast<std::uint32_t>(2 + random.below(3));
  config.shaped_nodes = random.chance(70) ? 8 : 0;
  config.barriers_per_tree = static_cast<std::uint32_t>(1 + random.below(12));
  config.kept_pages = 1;
  choose_lock_sizes(random, config);
  plan.threads_per_node = random.chance(60) ? 1 : static_cast<unsigned>(2 + random.below(2));
}

}  // namespace

Plan make_iterative_plan(Random& random) {
  Plan plan;
  choose_iterated_sizes(random, plan);
  const std::uint64_t first_page = random.below(3);
  const std::uint64_t pages = 1 + random.below(3);
  plan.config.page_count = first_page + pages + random.below(3);
  plan.config.initial_homes = choose_homes(random, plan.config.page_count, plan.config.node_count);
  place_iterated_cells(random, plan, first_page, pages);
  plan.with_overwrites = Random(Random(random).next()).chance(30);
  choose_prefetches(random, plan);
  for (std::uint64_t left = 1 + random.below(2); left > 0; --left) {
    plan.locks.push_back(any_lock(random));
  }
  std::ranges::sort(plan.locks);
  plan.sequencers = {SequencerId(random.next() >> 1), SequencerId(random.next() >> 1)};
  plan.with_sums = choose_sums(random);
  if (plan.with_sums) choose_mesh(random, plan, {PageIndex(first_page), pages});
  if (random.chance(40)) plan.values = static_cast<unsigned>(2 + random.below(2));
  if (random.chance(50)) plan.omitted_writes = random.chance(50) ? 10 : 50;
  if (random.chance(20)) {
    plan.slow_node = static_cast<std::uint16_t>(random.below(plan.config.node_count));
  }
  if (plan.cells.size() >= 2 && random.chance(20)) plan.outside_percent = 25;
  if (plan.outside_percent > 0) choose_outside_cells(random, plan);
  Loop(random, plan).make();
  if (plan.outside_percent > 0) choose_outsiders(random, plan);
  return plan;
}

void choose_iterative_policies(Random random, EngineConfig& config) {
  choose_policies(random, config);
  Random apart(random.next());
  if (apart.chance(50)) config.rhythm_proof = 2;
  if (config.barrier_pages == 0 && apart.chance(60)) config.barrier_pages = 64;
  if (config.push_policy == PushPolicy::kOff && apart.chance(60)) {
    config.push_policy = PushPolicy::kWait;
  }
}

}  // namespace weft::sim
