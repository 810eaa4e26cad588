// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates that are not sent to their home when the interval ends, since the lock that is handed
// over carries what is in them (protocol/updates.md, 15). They keep their place in the stream: the
// next update to that home takes them along. Whoever needs them at the home before demands them of
// their writer. Pure bookkeeping.
#pragma once

#include <map>
#include <vector>

#include "base/ids.hpp"
#include "protocol/updates/carried_diffs.hpp"

namespace weft {

class DeferredUpdates {
 public:
  // --- as a writer ---
  void defer(NodeId home, KeptUpdate update);
  [[nodiscard]] bool has(NodeId home) const { return deferred_.contains(home); }
  [[nodiscard]] std::size_t bytes(NodeId home) const;
  [[nodiscard]] std::vector<NodeId> homes() const;
  // Those of one home, in order. They are to be sent.
  [[nodiscard]] std::vector<KeptUpdate> take(NodeId home);

  // --- as a reader ---
  // This update may not have been sent.
  void note(NodeId home, NodeId writer, UpdateSequence sequence);
  // Of whom updates are to be demanded before something is read at `home`, up to where. They are
  // named once.
  struct Demand {
    NodeId writer;
    UpdateSequence sequence;
  };
  [[nodiscard]] std::vector<Demand> take_demands(NodeId home);
  void end_epoch() { noted_.clear(); }

 private:
  std::map<NodeId, std::vector<KeptUpdate>> deferred_;
  std::map<NodeId, std::map<NodeId, UpdateSequence>> noted_;  // [home][writer], not demanded yet
};

}  // namespace weft
