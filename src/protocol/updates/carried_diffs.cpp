// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/updates/carried_diffs.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "protocol/interface/bugs.hpp"

namespace weft {
namespace {

// More than that is kept by no node, and sent with no lock.
constexpr std::size_t kMostKept = 512 * 1024;
constexpr std::size_t kMostSent = 64 * 1024;
constexpr std::uint64_t kMostCarriedPages = 4096;

}  // namespace

Update KeptUpdate::view() const {
  Update update{.sequence = sequence, .final = false, .after = after, .merged = {}, .diffs = {}};
  for (const auto& [page, diff] : diffs) update.diffs.push_back({page, diff});
  return update;
}

std::size_t KeptUpdate::bytes() const {
  constexpr std::size_t kAround = 16;  // the numbers beside the bytes
  std::size_t bytes = kAround;
  for (const auto& [page, diff] : diffs) bytes += diff.size() + kAround;
  return bytes;
}

void CarriedDiffs::learn(const PageSet& pages) {
  if (learnt_.page_count() < kMostCarriedPages) learnt_.insert(pages);
}

void CarriedDiffs::add(NodeId writer, IntervalNumber interval, NodeId home, bool complete,
                       KeptUpdate update) {
  const std::uint64_t serial = dropped_ + entries_.size();
  if (!known_.emplace(Key(writer, interval, home), serial).second) return;
  bytes_ += update.bytes();
  entries_.push_back({.writer = writer,
                      .interval = interval,
                      .home = home,
                      .complete = complete,
                      .update = std::move(update)});
  for (; bytes_ > kMostKept; entries_.pop_front(), ++dropped_) {
    bytes_ -= entries_.front().update.bytes();
  }
}

void CarriedDiffs::add(const CarriedUpdate& carried) {
  KeptUpdate update{carried.sequence, carried.after, {}};
  for (const PageBytes& diff : carried.diffs) {
    update.diffs.emplace_back(diff.page, Bytes(diff.bytes.begin(), diff.bytes.end()));
  }
  add(carried.writer, carried.interval, carried.home, carried.complete, std::move(update));
}

void CarriedDiffs::find(NodeId writer, IntervalNumber interval,
                        std::vector<std::uint64_t>& serials) const {
  const IntervalNumber next(interval.value() + 1);
  const auto end = known_.lower_bound(Key(writer, next, NodeId(0)));
  for (auto at = known_.lower_bound(Key(writer, interval, NodeId(0))); at != end; ++at) {
    if (at->second >= dropped_) serials.push_back(at->second);
  }
}

std::vector<CarriedUpdate> CarriedDiffs::of(const std::vector<Record>& records) const {
  std::vector<std::uint64_t> serials;
  for (const Record& record : records) find(record.writer, record.number, serials);
  std::ranges::sort(serials);
  const auto again = std::ranges::unique(serials);  // one record may come twice
  serials.erase(again.begin(), again.end());
  std::vector<CarriedUpdate> carried;
  std::size_t bytes = 0;
  for (const std::uint64_t serial : serials) {
    const Entry& entry = entries_[serial - dropped_];
    bytes += entry.update.bytes();
    if (bytes > kMostSent) return {};
    Update update = entry.update.view();
    carried.push_back({.writer = entry.writer,
                       .interval = entry.interval,
                       .home = entry.home,
                       .sequence = update.sequence,
                       .complete = entry.complete,
                       .after = std::move(update.after),
                       .diffs = std::move(update.diffs)});
  }
  return carried;
}

void CarriedDiffs::drop(const VectorClock& heard) {
  std::erase_if(known_, [&](const auto& each) {
    const auto& [writer, interval, home] = each.first;
    return interval <= clock_at(heard, writer);
  });
  while (!entries_.empty() &&
         entries_.front().interval <= clock_at(heard, entries_.front().writer)) {
    bytes_ -= entries_.front().update.bytes();
    entries_.pop_front();
    ++dropped_;
  }
}

void CarriedDiffs::end_epoch() {
  entries_.clear();
  known_.clear();
  dropped_ = 0;
  bytes_ = 0;
}

PageSet covered_pages(const std::vector<Record>& records,
                      const std::vector<CarriedUpdate>& carried) {
  std::map<std::pair<NodeId, IntervalNumber>, PageSet> diffs;
  for (const CarriedUpdate& update : carried) {
    for (const PageBytes& diff : update.diffs) {
      diffs[{update.writer, update.interval}].insert(diff.page);
    }
  }
  PageSet covered, uncovered;
  for (const Record& record : records) {
    PageSet without = record.pages;
    const auto with = diffs.find({record.writer, record.number});
    if (with != diffs.end() && !record.late) {
      covered.insert(with->second);
      for (const PageRange& range : with->second.ranges()) without.erase(range);
    }
    uncovered.insert(without);
  }
  if (WEFT_BUG(kPatchIncomplete)) return covered;
  for (const PageRange& range : uncovered.ranges()) covered.erase(range);
  return covered;
}

}  // namespace weft
