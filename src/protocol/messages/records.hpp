// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nodes tell each other of intervals (protocol/intervals.md, 3): who wrote what, and how far
// that has come at each home.
#pragma once

#include <cstdint>
#include <vector>

#include "base/addresses.hpp"
#include "base/codec.hpp"
#include "base/ids.hpp"
#include "base/page_range.hpp"

namespace weft {

// For each node the last of its intervals that is known; may be shorter than the node count, the
// rest being 0.
using VectorClock = std::vector<IntervalNumber>;

[[nodiscard]] IntervalNumber clock_at(const VectorClock& clock, NodeId node);
// The later of the two, writer by writer.
void merge_clock(VectorClock& into, const VectorClock& from);
// The earlier of the two.
void meet_clock(VectorClock& into, const VectorClock& with);

// How far a writer's stream of updates to a home had come.
struct StreamPosition {
  NodeId node;  // the home in a record, the writer in a requirement
  UpdateSequence sequence;
  WEFT_FIELDS(self.node, self.sequence)
  auto operator<=>(const StreamPosition&) const = default;
};

// An atomic store that its thread has not waited for.
struct StoreUnderWay {
  NodeId home;
  GlobalOffset where;
  std::uint8_t size = 0;
  bool operator==(const StoreUnderWay&) const = default;
};

struct Record {
  NodeId writer;
  IntervalNumber number;
  bool late = false;      // made while its writer was in a barrier: not in its notices
  bool deferred = false;  // its updates may not have been sent
  bool current = false;   // its writer had seen nothing without records (context/sightings.hpp)
  bool looked = false;    // its writer may know an order that no record tells (the same)
  PageSet pages;          // written by plain writes, or at their homes by atomics
  std::vector<StreamPosition> updates;  // for each home the last update sent to it, if any since
                                        // the writer's record before
  std::vector<StoreUnderWay> stores;    // for each home the last among these updates, if no answer
                                        // had confirmed it
  WEFT_FIELDS(self.writer, self.number, self.late, self.deferred, self.current, self.looked,
              self.pages, self.updates, self.stores)
  bool operator==(const Record&) const = default;
};

}  // namespace weft
