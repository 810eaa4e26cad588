// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates that came before others that they must follow (protocol.md, 15): kept, and with them what
// their senders sent after, until those are here.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "protocol/update_streams.hpp"

namespace weft {

class HeldUpdates {
 public:
  explicit HeldUpdates(const UpdateStreams& streams) : streams_(streams) {}

  // True if an update that is to follow on these may be applied now; else it is to be kept.
  [[nodiscard]] bool may_apply(NodeId from, const std::vector<StreamPosition>& after) const {
    return !held_.contains(from) && streams_.has_applied(after);
  }
  void keep(NodeId from, ByteView message, std::vector<StreamPosition> after) {
    held_[from].push_back({Bytes(message.begin(), message.end()), std::move(after)});
  }
  // Takes one whose turn has come, and says whose it was. False if there is none.
  bool take(NodeId& from, Bytes& message);

 private:
  struct Held {
    Bytes message;
    std::vector<StreamPosition> after;
  };

  const UpdateStreams& streams_;
  std::map<NodeId, std::deque<Held>> held_;
};

}  // namespace weft
