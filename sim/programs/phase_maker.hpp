// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes one phase of a program: gives each cell a role, and the roles their threads, locks and
// flags. Either `make`, which decides all by chance; or `begin`, a role for some cells, and
// `finish`, which decides about the others by chance.
#pragma once

#include <utility>
#include <vector>

#include "sim/programs/plan.hpp"

namespace weft::sim {

// How often each kind of use is chosen, in this seed: runs differ in what they stress.
struct Weights {
  unsigned special, guarded, pool, sequenced, read_only;
};

template <typename Element>
void shuffle(Random& random, std::vector<Element>& elements) {
  for (std::size_t left = elements.size(); left > 1; --left) {
    std::swap(elements[left - 1], elements[random.below(left)]);
  }
}

class PhaseMaker {
 public:
  PhaseMaker(Random& random, const Plan& plan, const Weights& weights, unsigned most_steps)
      : random_(random), plan_(plan), weights_(weights), most_steps_(most_steps) {}

  Phase make(bool serial);

  void begin();
  void give_to(CellIndex cell, ThreadIndex owner) {
    assign(cell, Role::kOwned, 0, owner);
    phase_.owned[owner].push_back(cell);
  }
  void let_all_read(CellIndex cell) {
    phase_.read_only.push_back(cell);
    assign(cell, Role::kReadOnly, 0);
  }
  void let_all_count(CellIndex cell) {
    phase_.counters.push_back(cell);
    assign(cell, Role::kCounter, 0);
  }
  void guard_by(CellIndex cell, std::uint64_t drawn) {
    const std::uint64_t lock = plan_.lock_for(cell, drawn);
    phase_.locks[lock].guarded.push_back(cell);
    assign(cell, Role::kGuarded, lock);
  }
  void decide_later(CellIndex cell) { left_.push_back(cell); }
  Phase finish();

 private:
  ThreadIndex any_thread() { return static_cast<ThreadIndex>(random_.below(plan_.team_size())); }
  void assign(CellIndex cell, Role role, std::uint64_t group, ThreadIndex owner = 0) {
    phase_.cells[cell] = {role, owner, static_cast<std::uint32_t>(group)};
  }
  void plan_turns();
  bool belongs_to_a_page(CellIndex cell);
  bool take(CellIndex& cell) {
    if (left_.empty()) return false;
    cell = left_.back();
    left_.pop_back();
    return true;
  }
  void place(CellIndex cell);
  void place_special(CellIndex cell);
  void place_flag(CellIndex cell);
  void place_spin(CellIndex cell);
  void place_arrive(CellIndex cell);
  void order_items();

  Random& random_;
  const Plan& plan_;
  const Weights& weights_;
  const unsigned most_steps_;
  Phase phase_;
  std::vector<CellIndex> left_;
  std::uint64_t page_seed_ = 0;
};

}  // namespace weft::sim
