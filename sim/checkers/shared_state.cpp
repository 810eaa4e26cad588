// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/checkers/shared_state.hpp"

namespace weft::sim {

PhaseState::PhaseState(const Phase& phase, const Oracle& oracle)
    : flag_clocks(phase.flags.size()),
      spin_clocks(phase.spins.size()),
      arrive_clocks(phase.arrivals.size()),
      spin_holders(phase.spins.size(), -1),
      arrived(phase.arrivals.size()) {
  for (const FlagUse& use : phase.flags) flag_start.push_back(oracle.value(use.flag));
  for (const SpinUse& use : phase.spins) spin_start.push_back(oracle.value(use.word));
  for (const ArriveUse& use : phase.arrivals) arrive_start.push_back(oracle.value(use.counter));
  for (const LockUse& use : phase.locks) {
    for (const CellIndex cell : use.pool) pool_owner[cell] = -1;
  }
}

}  // namespace weft::sim
