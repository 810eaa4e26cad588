// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diffs that travel with locks (protocol/locks.md, 15): what intervals of this epoch, this node's
// and others', changed in pages that locks protect. Who hands a lock over adds those that belong to
// the records of the grant, so that the asker can bring its copies up to date where they are. A
// cache: what is not here is fetched.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/page_range.hpp"
#include "protocol/messages/message.hpp"

namespace weft {

// An update with its own bytes.
struct KeptUpdate {
  UpdateSequence sequence;
  std::vector<StreamPosition> after;
  std::vector<std::pair<PageIndex, Bytes>> diffs;

  [[nodiscard]] Update view() const;  // into this
  [[nodiscard]] std::size_t bytes() const;
};

class CarriedDiffs {
 public:
  // Pages that some node needs when it holds a lock. Only their diffs are kept.
  void learn(const PageSet& pages);
  [[nodiscard]] bool travels(PageIndex page) const { return learnt_.contains(page); }

  // Nothing happens if it is known. `complete`: the update has nothing else.
  void add(NodeId writer, IntervalNumber interval, NodeId home, bool complete, KeptUpdate update);
  void add(const CarriedUpdate& carried);
  // What belongs to these records, in an order in which it can be applied. Views into this.
  [[nodiscard]] std::vector<CarriedUpdate> of(const std::vector<Record>& records) const;
  // No record up to there is handed on any more.
  void drop(const VectorClock& heard);
  // Interval numbers begin anew.
  void end_epoch();

 private:
  struct Entry {
    NodeId writer;
    IntervalNumber interval;
    NodeId home;
    bool complete = false;
    KeptUpdate update;
  };
  using Key = std::tuple<NodeId, IntervalNumber, NodeId>;

  // Those of one record, as they are counted, are added to `serials`.
  void find(NodeId writer, IntervalNumber interval, std::vector<std::uint64_t>& serials) const;

  PageSet learnt_;
  std::deque<Entry> entries_;           // each after those that came before it in the program
  std::uint64_t dropped_ = 0;           // entries of this epoch that were before these
  std::map<Key, std::uint64_t> known_;  // all that there were in this epoch, counted from its start
  std::size_t bytes_ = 0;
};

// The pages that only those of these records name whose diffs of them are among the carried ones.
[[nodiscard]] PageSet covered_pages(const std::vector<Record>& records,
                                    const std::vector<CarriedUpdate>& carried);

}  // namespace weft
