// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/interval_log.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace weft {

IntervalNumber clock_at(const VectorClock& clock, NodeId node) {
  return node.value() < clock.size() ? clock[node.value()] : IntervalNumber();
}

void merge_clock(VectorClock& into, const VectorClock& from) {
  if (into.size() < from.size()) into.resize(from.size());
  for (std::size_t node = 0; node < from.size(); ++node) {
    into[node] = std::max(into[node], from[node]);
  }
}

IntervalLog::IntervalLog(std::uint16_t node_count) : records_(node_count), clock_(node_count) {}

bool IntervalLog::add(Record record) {
  std::vector<Record>& known = records_[record.writer.value()];
  if (record.number.value() <= known.size()) return false;
  WEFT_ASSERT(record.number.value() == known.size() + 1, "writer {} interval {} after {}",
              record.writer.value(), record.number.value(), known.size());
  clock_[record.writer.value()] = record.number;
  known.push_back(std::move(record));
  return true;
}

std::vector<Record> IntervalLog::since(const VectorClock& clock) const {
  std::vector<Record> missing;
  for (std::uint16_t writer = 0; writer < records_.size(); ++writer) {
    const std::vector<Record>& known = records_[writer];
    const std::size_t first = clock_at(clock, NodeId(writer)).value();
    for (std::size_t index = first; index < known.size(); ++index) {
      missing.push_back(known[index]);
    }
  }
  return missing;
}

PageSet IntervalLog::pages_but_of(NodeId one, NodeId other) const {
  PageSet pages;
  for (std::uint16_t writer = 0; writer < records_.size(); ++writer) {
    if (NodeId(writer) == one || NodeId(writer) == other) continue;
    for (const Record& record : records_[writer]) pages.insert(record.pages);
  }
  return pages;
}

void IntervalLog::clear() {
  for (std::vector<Record>& known : records_) known.clear();
  std::fill(clock_.begin(), clock_.end(), IntervalNumber());
}

}  // namespace weft
