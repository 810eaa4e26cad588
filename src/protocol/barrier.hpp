// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers and publications: notices up a tree of nodes, and merged down again (protocol.md, 7).
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "protocol/coherence.hpp"
#include "protocol/context.hpp"
#include "protocol/epoch_turn.hpp"

namespace weft {

class Barrier {
 public:
  Barrier(Context& context, Coherence& coherence, EpochTurn& turn)
      : context_(context), coherence_(coherence), turn_(turn) {}

  void arrive(WaitId wait);
  void publish(ByteView payload);
  [[nodiscard]] bool has_arrived() const { return wait_.has_value(); }

  void on_arrive(const BarrierArrive& message);
  void on_depart(const BarrierDepart& message);
  void on_publish(const Publish& message);

 private:
  void gather(const std::vector<Notice>& notices);
  void pass_up_if_complete();
  [[nodiscard]] std::vector<NodeId> children() const;
  template <typename Message>
  void pass_down(const Message& message);

  Context& context_;
  Coherence& coherence_;
  EpochTurn& turn_;
  std::optional<WaitId> wait_;  // set while this node has arrived
  std::size_t children_arrived_ = 0;
  std::map<NodeId, PageSet> gathered_;  // of this node's subtree, by writer
};

}  // namespace weft
