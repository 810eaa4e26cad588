// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic stores that this node has sent to homes without waiting, and does not know to be done
// there; and those of other nodes that it has heard of by records (protocol/operations.md, 8,
// "Stores that nobody waits for"). Pure bookkeeping.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "protocol/interface/bugs.hpp"
#include "protocol/interface/effects.hpp"
#include "protocol/messages/records.hpp"

namespace weft {

class UnansweredStores {
 public:
  // So many may be on their way to a home. With more, who stores again and again would fill it
  // with messages.
  static constexpr std::uint32_t kMost = 16;

  [[nodiscard]] bool has_room(NodeId home) const {
    const auto found = own_.find(home);
    return found == own_.end() || found->second.count < kMost;
  }
  // It is this update of its stream.
  void note(NodeId home, const AtomicRequest& store, UpdateSequence sequence, Epoch epoch) {
    OfHome& stores = own_[home];
    ++stores.count;
    stores.last = sequence;
    stores.is_recorded = false;
    stores.epoch = epoch;
    stores.load = load_of(store.where, store.size);
  }
  struct ToConfirm {
    NodeId home;
    Epoch epoch;         // of the store
    AtomicRequest load;  // of the object that was stored last: its answer shows that all are done
  };
  // Since this was called last, of each home the last one: the next record names them. Who hears of
  // them may not know where homes have moved since, so those that `is_over` are forgotten.
  template <typename IsOver>
  [[nodiscard]] std::vector<StoreUnderWay> take_unrecorded(IsOver is_over) {
    if (!WEFT_BUG(kNameStoreOfMoved)) {
      std::erase_if(own_, [&](const auto& each) { return is_over(to_confirm(each)); });
    }
    std::vector<StoreUnderWay> stores;
    for (auto& [home, each] : own_) {
      if (each.is_recorded) continue;
      each.is_recorded = true;
      stores.push_back({home, each.load.where, each.load.size});
    }
    return stores;
  }
  // Another node's record of this epoch named them. Homes of their own nodes wait for them anyway.
  void note_heard(NodeId self, const std::vector<StoreUnderWay>& stores, Epoch epoch) {
    if (WEFT_BUG(kLookPastHeard)) return;
    for (const StoreUnderWay& store : stores) {
      if (store.home == self) continue;
      heard_[store.home] = {++heard_count_, epoch, load_of(store.where, store.size)};
    }
  }
  // So many have been heard of.
  [[nodiscard]] std::uint64_t heard_count() const { return heard_count_; }
  // The home has answered what it was asked when this was the last update to it, and so many had
  // been heard of.
  void note_answered(NodeId home, UpdateSequence sent, std::uint64_t heard_count) {
    const auto own = own_.find(home);
    if (own != own_.end() && own->second.last <= sent) own_.erase(own);
    const auto heard = heard_.find(home);
    if (heard != heard_.end() && heard->second.number <= heard_count) heard_.erase(heard);
  }
  // Nothing of that home's is waited for any more.
  void forget(NodeId home) {
    own_.erase(home);
    heard_.erase(home);
  }

  // Of another home than this one.
  [[nodiscard]] std::optional<ToConfirm> beside(NodeId home) const {
    for (const auto& each : own_) {
      if (each.first != home) return to_confirm(each);
    }
    for (const auto& each : heard_) {
      if (each.first != home) return to_confirm(each);
    }
    return std::nullopt;
  }

 private:
  struct OfHome {
    std::uint32_t count = 0;
    UpdateSequence last;
    bool is_recorded = false;
    Epoch epoch;
    AtomicRequest load;
  };
  struct Heard {
    std::uint64_t number = 0;
    Epoch epoch;
    AtomicRequest load;
  };

  static ToConfirm to_confirm(const auto& each) {
    return {each.first, each.second.epoch, each.second.load};
  }
  static AtomicRequest load_of(GlobalOffset where, std::uint8_t size) {
    AtomicRequest load;
    load.where = where;
    load.size = size;
    load.operation = AtomicOperation::kLoad;
    return load;
  }

  std::map<NodeId, OfHome> own_;
  std::map<NodeId, Heard> heard_;  // the last of each home
  std::uint64_t heard_count_ = 0;
};

}  // namespace weft
