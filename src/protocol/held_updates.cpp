// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/held_updates.hpp"

#include <utility>

namespace weft {

bool HeldUpdates::take(NodeId& from, Bytes& message) {
  for (auto place = held_.begin(); place != held_.end(); ++place) {
    std::deque<Held>& queue = place->second;
    if (!streams_.has_applied(queue.front().after)) continue;
    from = place->first;
    message = std::move(queue.front().message);
    queue.pop_front();
    if (queue.empty()) held_.erase(place);
    return true;
  }
  return false;
}

}  // namespace weft
