// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every read must see. Two parts: a memory that all writes go to at once, in the order in
// which the simulation runs them; and a check, by vector clocks over the program's own
// synchronisation, that no two conflicting accesses are unordered. The second makes the first
// right: without races, the last write that ran is the last one that happened before the read.
#pragma once

#include <map>
#include <vector>

#include "sim/checkers/memory.hpp"
#include "sim/programs/plan.hpp"

namespace weft::sim {

// One entry a thread: how many of its steps happened before.
using Clock = std::vector<std::uint32_t>;

void join(Clock& into, const Clock& from);

class Oracle {
 public:
  Oracle(const Plan& plan, const InitialContents& initial);

  // --- plain accesses ---
  void check_read(ThreadIndex thread, CellIndex cell, ByteView seen);
  void note_write(ThreadIndex thread, CellIndex cell, ByteView bytes);

  // --- atomic ones: not a race with each other ---
  void note_atomic(ThreadIndex thread, CellIndex cell, bool may_write);
  [[nodiscard]] std::uint64_t value(CellIndex cell) const;
  [[nodiscard]] ByteView contents(CellIndex cell) const { return cells_[cell].contents; }
  void set_contents(CellIndex cell, ByteView bytes);
  void set_value(CellIndex cell, std::uint64_t value);

  // --- synchronisation of the program ---
  // The clock to hand over with a release; the thread's later steps are not in it.
  Clock release(ThreadIndex thread);
  void acquire(ThreadIndex thread, const Clock& released) { join(clocks_[thread], released); }

 private:
  struct CellState {
    Bytes contents;
    ThreadIndex writer = 0;
    std::uint32_t written_at = 0;
    // Each thread's last plain read, atomic write and atomic load since the last plain write.
    std::map<ThreadIndex, std::uint32_t> reads, atomics, atomic_loads;
  };

  std::uint32_t tick(ThreadIndex thread) { return ++clocks_[thread][thread]; }
  void check_ordered(ThreadIndex thread, CellIndex cell, ThreadIndex other, std::uint32_t step,
                     const char* what) const;
  void check_all_ordered(ThreadIndex thread, CellIndex cell,
                         const std::map<ThreadIndex, std::uint32_t>& steps, const char* what) const;

  const Plan& plan_;
  std::vector<CellState> cells_;
  std::vector<Clock> clocks_;
};

}  // namespace weft::sim
