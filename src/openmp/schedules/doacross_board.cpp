// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/schedules/doacross_board.hpp"

#include <algorithm>

namespace weft::openmp {

DoacrossBoard::DoacrossBoard(unsigned threads) : slots_(std::make_unique<Slot[]>(threads)) {}

void DoacrossBoard::note_least(Slot& slot) {
  std::uint64_t least = UINT64_MAX;
  for (const Ask& ask : slot.asks) least = std::min(least, ask.value);
  slot.wanted.store(least, std::memory_order_seq_cst);
}

bool DoacrossBoard::ask(unsigned thread, const Ask& ask) {
  Slot& slot = slots_[thread];
  const std::scoped_lock guard(lock_);
  slot.asks.push_back(ask);
  note_least(slot);
  if (slot.posted.load(std::memory_order_seq_cst) < ask.value) return false;
  slot.asks.pop_back();
  note_least(slot);
  return true;
}

std::vector<DoacrossBoard::Ask> DoacrossBoard::take(unsigned thread) {
  Slot& slot = slots_[thread];
  const std::scoped_lock guard(lock_);
  const std::uint64_t posted = slot.posted.load(std::memory_order_seq_cst);
  const auto met =
      std::ranges::partition(slot.asks, [&](const Ask& ask) { return ask.value > posted; });
  std::vector<Ask> result(met.begin(), met.end());
  slot.asks.erase(met.begin(), met.end());
  note_least(slot);
  return result;
}

}  // namespace weft::openmp
