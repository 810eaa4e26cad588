// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic stores that this node has sent to homes without waiting, and does not know to be done
// there (protocol/operations.md, 8, "Stores that nobody waits for"). Pure bookkeeping.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "base/ids.hpp"
#include "protocol/interface/effects.hpp"

namespace weft {

class UnansweredStores {
 public:
  // So many may be on their way to a home. With more, who stores again and again would fill it
  // with messages.
  static constexpr std::uint32_t kMost = 16;

  [[nodiscard]] bool has_room(NodeId home) const {
    const auto found = by_home_.find(home);
    return found == by_home_.end() || found->second.count < kMost;
  }
  // It is this update of its stream.
  void note(NodeId home, const AtomicRequest& store, UpdateSequence sequence) {
    OfHome& stores = by_home_[home];
    ++stores.count;
    stores.last = sequence;
    stores.load = store;
    stores.load.operation = AtomicOperation::kLoad;
  }
  // The home has answered what it was asked when this was the last update to it.
  void note_answered(NodeId home, UpdateSequence sent) {
    const auto found = by_home_.find(home);
    if (found != by_home_.end() && found->second.last <= sent) by_home_.erase(found);
  }
  // Nothing of that home's is waited for any more.
  void forget(NodeId home) { by_home_.erase(home); }

  struct ToConfirm {
    NodeId home;
    AtomicRequest load;  // of the object that was stored last: its answer shows that all are done
  };
  // Of another home than this one.
  [[nodiscard]] std::optional<ToConfirm> beside(NodeId home) const {
    for (const auto& [other, stores] : by_home_) {
      if (other != home) return ToConfirm{other, stores.load};
    }
    return std::nullopt;
  }

 private:
  struct OfHome {
    std::uint32_t count = 0;
    UpdateSequence last;
    AtomicRequest load;
  };

  std::map<NodeId, OfHome> by_home_;
};

}  // namespace weft
