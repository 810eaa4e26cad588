// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether an epoch ends with an exchange (protocol/exchange.md, 31). It costs so many messages, and
// so many rounds, whatever is in it. So each node counts what it sends, or would send without one,
// at the end of each epoch. Its arrival brings that up the barrier's tree, and node 0 has an
// exchange where one would have saved messages, or time, when the same phase began last.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "protocol/context/context.hpp"

namespace weft {

class ExchangeChoice {
 public:
  explicit ExchangeChoice(const Context& context) : context_(context) {}

  // Something that this node sends at the end of an epoch.
  struct Load {
    std::vector<NodeId> to;  // each gets it in a message, if there is no exchange
    std::size_t bytes = 0;
  };

  // --- counting ---
  // The phase begins.
  void begin_turn(PhaseKey phase);
  // Whether so many messages of one node are of interest: fewer are no more than an exchange's.
  [[nodiscard]] bool is_counted(std::size_t messages) const;
  // If so: all of this kind that does not go in the barrier's messages, in so many messages.
  void count(ExchangeKind kind, std::size_t messages, const std::vector<Load>& loads);
  // The same of messages that come.
  void count_coming(ExchangeKind kind, std::size_t messages);

  // --- up the barrier's tree ---
  void add(const std::vector<PhaseTraffic>& of_child);
  // This node's and its subtree's since the last barrier.
  [[nodiscard]] std::vector<PhaseTraffic> take_for_parent();

  // --- at node 0, that phase begins ---
  // Before this: all nodes have arrived.
  void learn();
  [[nodiscard]] ExchangeKinds choose(PhaseKey phase) const;

 private:
  // More messages than in so many nodes' parts of an exchange.
  [[nodiscard]] bool exceed(std::uint64_t messages, std::size_t nodes) const;
  [[nodiscard]] bool is_worth(const Traffic& traffic) const;
  [[nodiscard]] Traffic& now(ExchangeKind kind);

  const Context& context_;
  PhaseKey phase_;
  std::map<PhaseKey, PhaseTraffic> traffic_;  // since the last barrier, of the subtree
  std::map<PhaseKey, PhaseTraffic> known_;    // at node 0
};

}  // namespace weft
