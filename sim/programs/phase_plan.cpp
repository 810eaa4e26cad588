// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/programs/phase_plan.hpp"

#include <algorithm>

#include "sim/programs/phase_maker.hpp"

namespace weft::sim {
namespace {

// Iterative programs: now and then the last few phases come again, several times over, and now and
// then once more after others.
class Repetition {
 public:
  Repetition(Random random, bool is_large)
      : random_(random), chance_(random_.chance(is_large ? 20 : 50) ? 35 : 0) {}

  void repeat(std::vector<Phase>& phases) {
    if (!random_.chance(chance_)) return;
    const std::size_t period = 1 + random_.below(std::min<std::size_t>(phases.size(), 3));
    // No two serial phases one after the other.
    const std::size_t first = phases.size() - period;
    if (phases[first].serial && phases.back().serial) return;
    for (std::uint64_t turns = 1 + random_.below(5); turns > 0; --turns) {
      for (std::size_t index = 0; index < period; ++index) phases.push_back(phases[first + index]);
    }
  }

 private:
  Random random_;
  unsigned chance_;
};

}  // namespace

void hold_locks_over(Random& random, Plan& plan, unsigned chance) {
  for (std::size_t index = 0; index + 1 < plan.phases.size(); ++index) {
    Phase& phase = plan.phases[index];
    Phase& next = plan.phases[index + 1];
    if (phase.serial || next.serial) continue;
    for (std::size_t lock = 0; lock < phase.locks.size(); ++lock) {
      if (phase.locks[lock].held_at_start || !random.chance(chance)) continue;
      phase.locks[lock].is_private = true;
      phase.locks[lock].holder = static_cast<ThreadIndex>(random.below(plan.team_size()));
      next.locks[lock].held_at_start = true;
      next.locks[lock].holder = phase.locks[lock].holder;
    }
  }
}

void number_turns(Plan& plan) {
  std::vector<std::uint64_t> values(plan.sequencers.size());
  for (Phase& phase : plan.phases) {
    for (std::size_t index = 0; index < phase.sequencers.size(); ++index) {
      SequencerUse& use = phase.sequencers[index];
      use.first = values[index];
      if (!use.by_posts) values[index] += use.turns.size();
    }
  }
}

void plan_phases(Random& random, Plan& plan) {
  const auto weight = [&random] { return static_cast<unsigned>(random.below(30)); };
  Weights weights{.special = weight(),
                  .guarded = weight(),
                  .pool = weight() / 2,
                  .sequenced = weight() / 2,
                  .read_only = weight() / 2};
  if (plan.is_sparse) {
    weights = {.special = 0, .guarded = 20, .pool = 0, .sequenced = 0, .read_only = 10};
  }
  // A few phases of some length, or many short ones: homes move often then, and messages are
  // overtaken by whole epochs.
  const bool is_short = plan.is_sparse || random.chance(20);
  const std::uint64_t most_phases = plan.config.node_count == 64 ? 4 : is_short ? 25 : 8;
  const std::uint64_t count = 1 + random.below(most_phases);
  const unsigned serial_chance = random.chance(50) ? 40 : 0;
  // Apart from the rest, so that what is planned anew does not depend on it.
  Repetition repetition(random, plan.config.node_count == 64);
  plan.one_node_writes = Random(random).chance(plan.is_sparse ? 40 : 10);
  PhaseMaker maker(random, plan, weights, plan.is_sparse ? 8 : is_short ? 4 : 20);
  bool serial = random.chance(serial_chance);
  for (std::uint64_t index = 0; index < count; ++index) {
    plan.phases.push_back(maker.make(serial));
    plan.phases.back().key = PhaseKey(index + 1);
    serial = !serial && random.chance(serial_chance);
    repetition.repeat(plan.phases);
  }
  // The program ends with a barrier, so its last phase is a parallel one.
  if (plan.phases.back().serial) plan.phases.push_back(maker.make(false));
  number_turns(plan);
  hold_locks_over(random, plan, 15);
}

}  // namespace weft::sim
