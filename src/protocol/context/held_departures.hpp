// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Departures from a barrier behind which only node 0 goes on, until it publishes: each is kept, and
// goes with the publication to the same node in one message (protocol/epochs.md, 7). At most one
// for each child in the barrier's tree.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"

namespace weft {

class HeldDepartures {
 public:
  struct Departure {
    NodeId to;
    Bytes message;
  };

  void keep(NodeId to, Bytes message) { departures_.push_back({to, std::move(message)}); }
  [[nodiscard]] bool empty() const { return departures_.empty(); }

  // The one for this node, or nothing.
  [[nodiscard]] Bytes take(NodeId to) {
    const auto place = std::ranges::find(departures_, to, &Departure::to);
    if (place == departures_.end()) return {};
    Bytes message = std::move(place->message);
    departures_.erase(place);
    return message;
  }
  [[nodiscard]] std::vector<Departure> take_all() { return std::exchange(departures_, {}); }

 private:
  std::vector<Departure> departures_;
};

}  // namespace weft
