// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this node knows of who wrote what in the present epoch (protocol/intervals.md, 3 and 4): one
// record for each interval of each writer, kept to be passed on until the epoch ends, or until all
// nodes have heard it (protocol/collecting.md, 32). Then the pages that it names are still known,
// by their writer.
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
  // The records that somebody with this clock lacks. Of those that were dropped nobody lacks any.
  [[nodiscard]] std::vector<Record> since(const VectorClock& clock) const;
  // What is in those records, and in all. If some of those were dropped: in all that were dropped
  // of the same writer.
  [[nodiscard]] PageSet pages_since(const VectorClock& clock) const;
  [[nodiscard]] const PageSet& pages() const { return pages_; }
  // What is in the records of all writers but these.
  [[nodiscard]] PageSet pages_but_of(NodeId one, NodeId other) const;
  // What is in the records of this writer.
  [[nodiscard]] PageSet pages_of(NodeId writer) const;
  // The writers of which there are records, and what is in these.
  [[nodiscard]] std::map<NodeId, PageSet> pages_by_writer() const;
  [[nodiscard]] const VectorClock& clock() const { return clock_; }
  // Drops the records up to there, which all nodes have heard. Returns how many.
  std::uint64_t drop(const VectorClock& heard);
  // So many are kept.
  [[nodiscard]] std::uint64_t kept() const { return kept_; }
  void clear();

 private:
  struct OfWriter {
    std::uint64_t dropped = 0;  // so many, the first ones
    PageSet dropped_pages;      // of these
    std::vector<Record> kept;   // [number - dropped - 1]
    [[nodiscard]] PageSet pages() const;
  };
  // Those that are kept.
  template <typename Take>
  void for_each_since(const VectorClock& clock, Take take) const;

  std::map<NodeId, OfWriter> records_;
  PageSet pages_;  // of all records, dropped ones too: programs without barriers have very many
  VectorClock clock_;
  std::uint64_t kept_ = 0;
};

}  // namespace weft
