// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/updates/held_updates.hpp"

#include <utility>

namespace weft {

bool HeldUpdates::take(NodeId& from, Bytes& message) {
  for (auto place = held_.begin(); place != held_.end(); ++place) {
    std::map<UpdateSequence, Held>& of_writer = place->second;
    const auto first = of_writer.begin();
    if (!may_apply(place->first, first->first, first->second.after)) continue;
    from = place->first;
    message = std::move(first->second.message);
    of_writer.erase(first);
    if (of_writer.empty()) held_.erase(place);
    return true;
  }
  return false;
}

}  // namespace weft
