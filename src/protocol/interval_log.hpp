// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this node knows of who wrote what in the present epoch (protocol.md, 3 and 4): one record
// for each interval of each writer, kept to be passed on until the epoch ends.
#pragma once

#include <map>
#include <vector>

#include "base/ids.hpp"
#include "base/page_range.hpp"

namespace weft {

// For each node the last of its intervals that is known; may be shorter than the node count, the
// rest being 0.
using VectorClock = std::vector<IntervalNumber>;

[[nodiscard]] IntervalNumber clock_at(const VectorClock& clock, NodeId node);
// The later of the two, writer by writer.
void merge_clock(VectorClock& into, const VectorClock& from);

// How far a writer's stream of updates to a home had come.
struct StreamPosition {
  NodeId node;  // the home in a record, the writer in a requirement
  UpdateSequence sequence;

  template <typename Self, typename Wire>
  static void fields(Self& self, Wire& wire) {
    wire(self.node, self.sequence);
  }
  auto operator<=>(const StreamPosition&) const = default;
};

struct Record {
  NodeId writer;
  IntervalNumber number;
  bool late = false;      // made while its writer was in a barrier: not in its notices
  bool deferred = false;  // its updates may not have been sent
  PageSet pages;          // written by plain writes, or at their homes by atomics
  std::vector<StreamPosition> updates;  // for each home the last update sent to it, if any since
                                        // the writer's record before
  template <typename Self, typename Wire>
  static void fields(Self& self, Wire& wire) {
    wire(self.writer, self.number, self.late, self.deferred, self.pages, self.updates);
  }
  bool operator==(const Record&) const = default;
};

class IntervalLog {
 public:
  // Adds a record if it is new. A writer's records are added in order, without a gap.
  bool add(Record record);
  // The records that somebody with this clock lacks.
  [[nodiscard]] std::vector<Record> since(const VectorClock& clock) const;
  // What is in the records of all writers but these.
  [[nodiscard]] PageSet pages_but_of(NodeId one, NodeId other) const;
  // What is in the records of this writer.
  [[nodiscard]] PageSet pages_of(NodeId writer) const;
  [[nodiscard]] const VectorClock& clock() const { return clock_; }
  void clear();

 private:
  std::map<NodeId, std::vector<Record>> records_;  // [writer][number - 1]
  VectorClock clock_;
};

}  // namespace weft
