// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/intervals/interval_log.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "protocol/interface/bugs.hpp"

namespace weft {

bool IntervalLog::add(Record record) {
  OfWriter& of_writer = records_[record.writer];
  const std::uint64_t known = of_writer.dropped + of_writer.kept.size();
  if (record.number.value() <= known) return false;
  WEFT_ASSERT(record.number.value() == known + 1, "writer {} interval {} after {}",
              record.writer.value(), record.number.value(), known);
  const std::size_t writer = record.writer.value();
  if (clock_.size() <= writer) clock_.resize(writer + 1);
  clock_[writer] = record.number;
  pages_.insert(record.pages);
  of_writer.kept.push_back(std::move(record));
  ++kept_;
  return true;
}

template <typename Take>
void IntervalLog::for_each_since(const VectorClock& clock, Take take) const {
  for (const auto& [writer, of_writer] : records_) {
    const std::uint64_t known = clock_at(clock, writer).value();
    const std::uint64_t first = known - std::min(known, of_writer.dropped);
    for (std::size_t index = first; index < of_writer.kept.size(); ++index) {
      take(of_writer.kept[index]);
    }
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
  for (const auto& [writer, of_writer] : records_) {
    const bool lacks_dropped = clock_at(clock, writer).value() < of_writer.dropped;
    if (lacks_dropped && !WEFT_BUG(kCarryPastDropped)) pages.insert(of_writer.dropped_pages);
  }
  return pages;
}

PageSet IntervalLog::OfWriter::pages() const {
  PageSet pages;
  if (!WEFT_BUG(kForgetDropped)) pages = dropped_pages;
  for (const Record& record : kept) pages.insert(record.pages);
  return pages;
}

PageSet IntervalLog::pages_but_of(NodeId one, NodeId other) const {
  PageSet pages;
  for (const auto& [writer, of_writer] : records_) {
    if (writer != one && writer != other) pages.insert(of_writer.pages());
  }
  return pages;
}

PageSet IntervalLog::pages_of(NodeId writer) const {
  const auto known = records_.find(writer);
  return known == records_.end() ? PageSet() : known->second.pages();
}

std::map<NodeId, PageSet> IntervalLog::pages_by_writer() const {
  std::map<NodeId, PageSet> pages;
  for (const auto& [writer, of_writer] : records_) pages.emplace(writer, of_writer.pages());
  return pages;
}

std::uint64_t IntervalLog::drop(const VectorClock& heard) {
  std::uint64_t count = 0;
  for (auto& [writer, of_writer] : records_) {
    const std::uint64_t last = clock_at(heard, writer).value();
    if (last <= of_writer.dropped) continue;
    const std::uint64_t dropped = last - of_writer.dropped;
    WEFT_ASSERT(dropped <= of_writer.kept.size(), "writer {} interval {} is to be dropped unheard",
                writer.value(), last);
    const auto end = of_writer.kept.begin() + static_cast<std::ptrdiff_t>(dropped);
    std::for_each(of_writer.kept.begin(), end,
                  [&](const Record& record) { of_writer.dropped_pages.insert(record.pages); });
    of_writer.kept.erase(of_writer.kept.begin(), end);
    of_writer.dropped = last;
    count += dropped;
  }
  kept_ -= count;
  return count;
}

void IntervalLog::clear() {
  records_.clear();
  pages_ = {};
  clock_.clear();
  kept_ = 0;
}

}  // namespace weft
