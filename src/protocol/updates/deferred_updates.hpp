// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates that are not sent to their home when the interval ends, since the lock that is handed
// over carries what is in them (protocol/updates.md, 15). They keep their place in the stream: the
// next update to that home takes them along. Whoever needs them at the home before demands them of
// their writer.
#pragma once

#include <map>
#include <vector>

#include "base/ids.hpp"
#include "protocol/context/context.hpp"
#include "protocol/updates/carried_diffs.hpp"
#include "protocol/updates/update_streams.hpp"

namespace weft {

class DeferredUpdates {
 public:
  DeferredUpdates(Context& context, UpdateStreams& streams)
      : context_(context), streams_(streams) {}

  // --- as a writer ---
  void defer(NodeId home, KeptUpdate update);
  [[nodiscard]] bool has(NodeId home) const { return deferred_.contains(home); }
  [[nodiscard]] std::size_t bytes(NodeId home) const;
  // Those of one home, in order. They are to be sent.
  [[nodiscard]] std::vector<KeptUpdate> take(NodeId home);
  // Sends what is deferred, for one home or all.
  void send(NodeId home);
  void send_all();

  // --- as a reader ---
  // This update may not have been sent.
  void note(NodeId home, NodeId writer, UpdateSequence sequence);
  // Asks writers for what this node knows to be deferred, and needs at this home.
  void demand(NodeId home);
  // Something is about to be read at this home: what this node and others have deferred is to be
  // there.
  void prepare_to_read(NodeId home);
  void end_epoch() { noted_.clear(); }

 private:
  // Of whom updates are to be demanded, up to where.
  struct Demand {
    NodeId writer;
    UpdateSequence sequence;
  };

  [[nodiscard]] std::vector<NodeId> homes() const;
  // Those at this home, once.
  [[nodiscard]] std::vector<Demand> take_demands(NodeId home);

  Context& context_;
  UpdateStreams& streams_;
  std::map<NodeId, std::vector<KeptUpdate>> deferred_;
  std::map<NodeId, std::map<NodeId, UpdateSequence>> noted_;  // [home][writer], not demanded yet
};

}  // namespace weft
