// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether node 0 runs the program by itself, as the other nodes are at rest (RestState): from the
// job's start, or a region's end, to the next publication. Its atomic operations and flushes are
// then the processor's own (docs/internals/placement.md, "While node 0 is alone").
//
//   publish ──── region ────► barrier ──── serial part, regions inside ────► publish
//   end()                     begin()      enter(), leave()                  end()
#pragma once

#include <atomic>

namespace weft {

class AloneState {
 public:
  // Any thread of the program. True: no other node touches shared memory until it calls leave().
  // Between the two it does not publish.
  [[nodiscard]] bool enter();
  void leave() { inside_.fetch_sub(1, std::memory_order_release); }

  // A region inside this node begins and ends, on the main thread, outside of all others. Meanwhile
  // compiled code need not even ask, unless there are threads or handlers beside the region's.
  void begin_region(bool others_here);
  void end_region();
  // Such a thread or handler is about to begin: it must not take for granted that the region goes
  // on as long as it runs. Any thread.
  void admit_others() { end_region(); }

  void begin() { alone_.store(true); }
  // Returns when all who have entered have left.
  void end();

 private:
  std::atomic<bool> alone_{false};
  std::atomic<int> inside_{0};
};

}  // namespace weft
