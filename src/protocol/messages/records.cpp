// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/messages/records.hpp"

#include <algorithm>

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

void meet_clock(VectorClock& into, const VectorClock& with) {
  into.resize(std::min(into.size(), with.size()));
  for (std::size_t node = 0; node < into.size(); ++node) {
    into[node] = std::min(into[node], with[node]);
  }
}

}  // namespace weft
