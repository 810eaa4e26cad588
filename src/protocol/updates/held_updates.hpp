// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates that came before others that they must follow, of the same writer (protocol/epochs.md, 7)
// or of others (protocol/updates.md, 15): kept until those are here.
#pragma once

#include <map>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "protocol/updates/update_streams.hpp"

namespace weft {

class HeldUpdates {
 public:
  explicit HeldUpdates(const UpdateStreams& streams) : streams_(streams) {}

  // True if the writer's next update is this one, and those that it is to follow on are here; else
  // it is to be kept.
  [[nodiscard]] bool may_apply(NodeId from, UpdateSequence sequence,
                               const std::vector<StreamPosition>& after) const {
    return streams_.has_applied({{from, UpdateSequence(sequence.value() - 1)}}) &&
           streams_.has_applied(after);
  }
  void keep(NodeId from, UpdateSequence sequence, ByteView message,
            std::vector<StreamPosition> after) {
    held_[from][sequence] = {Bytes(message.begin(), message.end()), std::move(after)};
  }
  [[nodiscard]] bool empty() const { return held_.empty(); }
  // Takes one whose turn has come, and says whose it was. False if there is none.
  bool take(NodeId& from, Bytes& message);

 private:
  struct Held {
    Bytes message;
    std::vector<StreamPosition> after;
  };

  const UpdateStreams& streams_;
  std::map<NodeId, std::map<UpdateSequence, Held>> held_;
};

}  // namespace weft
