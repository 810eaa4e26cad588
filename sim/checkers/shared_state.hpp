// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the program's synchronisation stands at, as far as correct synchronisation would have it:
// who holds which lock, what a release handed over. Kept by the simulator beside the engines, to
// check what those do.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "sim/checkers/oracle.hpp"
#include "sim/programs/plan.hpp"

namespace weft::sim {

struct LockState {
  int holder = -1;
  Clock released;
  Clock added;               // by sections that only added, without the lock
  unsigned users = 0;        // threads between their call of acquire and their release
  std::uint16_t keeper = 0;  // the node whose engine has it, wherever its holder is now
  // Tries under way, and whether the lock was in use at some moment of each.
  std::map<ThreadIndex, bool> tries;

  void mark_in_use() {
    for (auto& [thread, in_use] : tries) in_use = true;
  }
};

struct PhaseState {
  std::map<std::pair<std::uint32_t, std::uint64_t>, Clock> advances;  // [sequencer, value]
  std::set<std::pair<std::uint32_t, std::uint64_t>> posted;  // turns whose post was delivered
  std::vector<std::uint64_t> flag_start, spin_start, arrive_start;
  std::vector<std::vector<Clock>> flag_clocks;  // [group][stage]
  std::vector<Clock> spin_clocks, arrive_clocks;
  std::vector<int> spin_holders;
  std::vector<std::size_t> arrived;
  std::map<CellIndex, std::set<std::uint64_t>> counts_seen;
  std::map<CellIndex, int> pool_owner;  // -1: nobody

  PhaseState() = default;
  PhaseState(const Phase& phase, const Oracle& oracle);
};

}  // namespace weft::sim
