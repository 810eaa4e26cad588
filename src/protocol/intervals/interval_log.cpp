// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/intervals/interval_log.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace weft {

bool IntervalLog::add(Record record) {
  std::vector<Record>& known = records_[record.writer];
  if (record.number.value() <= known.size()) return false;
  WEFT_ASSERT(record.number.value() == known.size() + 1, "writer {} interval {} after {}",
              record.writer.value(), record.number.value(), known.size());
  const std::size_t writer = record.writer.value();
  if (clock_.size() <= writer) clock_.resize(writer + 1);
  clock_[writer] = record.number;
  pages_.insert(record.pages);
  known.push_back(std::move(record));
  return true;
}

template <typename Take>
void IntervalLog::for_each_since(const VectorClock& clock, Take take) const {
  for (const auto& [writer, known] : records_) {
    const std::size_t first = clock_at(clock, writer).value();
    for (std::size_t index = first; index < known.size(); ++index) take(known[index]);
  }
}

std::vector<Record> IntervalLog::since(const VectorClock& clock) const {
  std::vector<Record> missing;
  for_each_since(clock, [&](const Record& record) { missing.push_back(record); });
  return missing;
}

PageSet IntervalLog::pages_since(const VectorClock& clock) const {
  PageSet pages;
  for_each_since(clock, [&](const Record& record) { pages.insert(record.pages); });
  return pages;
}

PageSet IntervalLog::pages_but_of(NodeId one, NodeId other) const {
  PageSet pages;
  for (const auto& [writer, known] : records_) {
    if (writer == one || writer == other) continue;
    for (const Record& record : known) pages.insert(record.pages);
  }
  return pages;
}

PageSet IntervalLog::pages_of(NodeId writer) const {
  PageSet pages;
  const auto known = records_.find(writer);
  if (known == records_.end()) return pages;
  for (const Record& record : known->second) pages.insert(record.pages);
  return pages;
}

void IntervalLog::clear() {
  records_.clear();
  pages_ = {};
  clock_.clear();
}

}  // namespace weft
