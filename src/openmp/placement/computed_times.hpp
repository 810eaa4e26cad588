// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long this node's threads compute in regions that span nodes: not waiting in Weft, and not at
// a page fault. Node 0 asks the others for it: a message at the first region of each place, and
// some fifty times a second at most.
#pragma once

#include <cstdint>

#include "base/codec.hpp"
#include "runtime/interface/node.hpp"

namespace weft::openmp {

// Travels with a region.
struct TimesWanted {
  std::uint32_t window = 0;  // what is computed is counted anew when this changes
  bool at_end = false;       // each node reports when its part of the region has ended
  WEFT_FIELDS(self.window, self.at_end)
};

// A thread's part of a region, for as long as this lives.
class Computing {
 public:
  Computing();
  ~Computing();
  Computing(const Computing&) = delete;
  Computing& operator=(const Computing&) = delete;

 private:
  std::int64_t begin_ns_ = 0, away_ns_ = 0, processor_ns_ = 0;
};

// What this node's threads have computed since the last call, in nanoseconds.
[[nodiscard]] std::int64_t take_computed_ns();

// Threads of this job take turns on processors: only the time that they had one counts.
void count_processor_time();

// By the main thread of every node but 0, around its part of a region.
void begin_counting(const TimesWanted& wanted);
void report_times(Node& node, const TimesWanted& wanted);

// What another node has reported.
struct TimesReport {
  NodeId node;  // not sent: who has
  std::uint32_t window = 0;
  std::int64_t computed_ns = 0;
  WEFT_FIELDS(self.window, self.computed_ns)
};
// By every node, before the program runs; node 0 gets what comes by the other call, one report at a
// time, in the order in which they came. False: there is none.
void serve_times(Node& node);
[[nodiscard]] bool take_report(TimesReport& report);

}  // namespace weft::openmp
