// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this node knows of who wrote what in the present epoch (protocol/intervals.md, 3 and 4): one
// record for each interval of each writer, kept to be passed on until the epoch ends.
#pragma once

#include <map>
#include <vector>

#include "base/ids.hpp"
#include "base/page_range.hpp"
#include "protocol/messages/records.hpp"

namespace weft {

class IntervalLog {
 public:
  // Adds a record if it is new. A writer's records are added in order, without a gap.
  bool add(Record record);
  // The records that somebody with this clock lacks.
  [[nodiscard]] std::vector<Record> since(const VectorClock& clock) const;
  // What is in those records, and in all.
  [[nodiscard]] PageSet pages_since(const VectorClock& clock) const;
  [[nodiscard]] const PageSet& pages() const { return pages_; }
  // What is in the records of all writers but these.
  [[nodiscard]] PageSet pages_but_of(NodeId one, NodeId other) const;
  // What is in the records of this writer.
  [[nodiscard]] PageSet pages_of(NodeId writer) const;
  [[nodiscard]] const VectorClock& clock() const { return clock_; }
  void clear();

 private:
  template <typename Take>
  void for_each_since(const VectorClock& clock, Take take) const;

  std::map<NodeId, std::vector<Record>> records_;  // [writer][number - 1]
  PageSet pages_;  // of all records: programs without barriers have very many
  VectorClock clock_;
};

}  // namespace weft
