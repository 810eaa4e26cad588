// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hints/parts.hpp"

#include <algorithm>

#include "base/ids.hpp"
#include "include/weft/hints.h"

namespace weft {
namespace {

// The units of a hint, and the threads that they go to.
class Units {
 public:
  Units(const Hint& hint, NodeThreads threads)
      : hint_(hint),
        per_node_(threads.threads_per_node),
        threads_(std::uint64_t{threads.nodes} * threads.threads_per_node),
        count_((hint.bytes - 1) / hint.unit_bytes + 1) {}

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t threads() const { return threads_; }
  // Of WEFT_BLOCK: the first unit of the node's threads.
  [[nodiscard]] std::uint64_t first_of(std::uint64_t node) const {
    const std::uint64_t thread = std::min(node * per_node_, threads_);
    return thread * (count_ / threads_) + std::min(thread, count_ % threads_);
  }
  [[nodiscard]] std::uintptr_t address_of(std::uint64_t unit) const {
    return unit >= count_ ? hint_.end() : hint_.first + unit * hint_.unit_bytes;
  }
  [[nodiscard]] std::uint64_t node_at(std::uintptr_t address) const {
    if (hint_.distribution >= 0) return static_cast<std::uint64_t>(hint_.distribution);
    const std::uint64_t unit = (address - hint_.first) / hint_.unit_bytes;
    return (hint_.distribution == WEFT_CYCLIC ? unit % threads_ : block_thread(unit)) / per_node_;
  }

 private:
  [[nodiscard]] std::uint64_t block_thread(std::uint64_t unit) const {
    const std::uint64_t each = count_ / threads_, longer = count_ % threads_;
    const std::uint64_t in_longer = longer * (each + 1);
    return unit < in_longer ? unit / (each + 1) : longer + (unit - in_longer) / each;
  }

  const Hint& hint_;
  const std::uint64_t per_node_, threads_, count_;
};

void add(std::vector<ByteRange>& ranges, ByteRange range) {
  if (range.first >= range.end) return;
  if (!ranges.empty() && range.first - ranges.back().end < kPageBytes) {
    ranges.back().end = range.end;
  } else {
    ranges.push_back(range);
  }
}

}  // namespace

std::vector<ByteRange> part_of(const Hint& hint, NodeId node, NodeThreads threads) {
  const std::uint64_t self = node.value();
  std::vector<ByteRange> ranges;
  if (hint.distribution >= 0) {
    if (static_cast<std::uint64_t>(hint.distribution) == self)
      ranges.push_back({hint.first, hint.end()});
    return ranges;
  }
  const Units units(hint, threads);
  if (hint.distribution == WEFT_BLOCK) {
    add(ranges,
        {units.address_of(units.first_of(self)), units.address_of(units.first_of(self + 1))});
    return ranges;
  }
  for (std::uint64_t unit = self * threads.threads_per_node; unit < units.count();
       unit += units.threads()) {
    const std::uint64_t end = std::min(unit + threads.threads_per_node, units.count());
    add(ranges, {units.address_of(unit), units.address_of(end)});
  }
  return ranges;
}

std::vector<ByteRange> home_part_of(const Hint& hint, NodeId node, NodeThreads threads) {
  const Units units(hint, threads);
  std::vector<ByteRange> ranges;
  std::uintptr_t next = 0;
  for (std::uintptr_t at = hint.first; at < hint.end(); at = next) {
    next = std::min(at / kPageBytes * kPageBytes + kPageBytes, hint.end());
    if (units.node_at(at) != node.value()) continue;
    if (!ranges.empty() && ranges.back().end == at) {
      ranges.back().end = next;
    } else {
      ranges.push_back({at, next});
    }
  }
  return ranges;
}

}  // namespace weft
