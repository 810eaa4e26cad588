// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether node 0 runs the program by itself, as the other nodes are at rest (RestState): from the
// job's start, or a region's end, to the next publication. Its atomic operations and flushes are
// then the processor's own (docs/internals/placement.md, "While node 0 is alone").
//
// Threads of the program's own may have an operation under way at a variable's home when the others
// come to rest. Then node 0 does not come to be alone until they rest the next time: its own
// memory would not have what the home has.
//
//   publish ──── region ────► barrier ──── serial part, regions inside ────► publish
//   end()                     begin()      enter(), leave()                  end()
#pragma once

#include <atomic>

namespace weft {

class AloneState {
 public:
  // `for_good`: once it is alone it stays so, and compiled code need never ask.
  explicit AloneState(bool for_good = false) : for_good_(for_good) {}

  // Any thread of the program. True: no other node touches shared memory until it calls leave().
  // Between the two it does not publish.
  [[nodiscard]] bool enter();
  [[nodiscard]] bool is_alone() const { return alone_.load(); }
  void leave() { inside_.fetch_sub(1, std::memory_order_release); }

  // A region inside this node begins and ends, on the main thread, outside of all others. Meanwhile
  // compiled code need not even ask, unless there are threads or handlers beside the region's.
  void begin_region(bool others_here);
  void end_region();
  // Such a thread or handler is about to begin: it must not take for granted that the region goes
  // on as long as it runs. Any thread.
  void admit_others() { end_region(); }

  // A thread of the program begins an operation at a variable's home, and has ended it. False: it
  // must not, as this node is alone by now. Called under the lock under which begin() is.
  [[nodiscard]] bool begin_elsewhere();
  void end_elsewhere() { elsewhere_.fetch_sub(1, std::memory_order_release); }

  void begin();
  // Operations were under way: until this node is alone, none is to take longer than it must. Any
  // thread.
  void await() { is_awaited_ = true; }
  [[nodiscard]] bool is_awaited() const { return is_awaited_.load(std::memory_order_relaxed); }
  // Returns when all who have entered have left. Not of one that is alone for good.
  void end();

 private:
  const bool for_good_;
  std::atomic<bool> alone_{false}, is_awaited_{false};
  std::atomic<int> inside_{0};
  std::atomic<int> elsewhere_{0};
};

}  // namespace weft
