// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One exchange at the end of an epoch (protocol/exchange.md, 31): what every node has for others
// reaches them in ceil(log2 N) rounds. In round k each node sends one message to the node 2^k
// further on, with all that has an odd number of such steps to go: its own, and what came in the
// rounds before. (J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, "Efficient algorithms for
// all-to-all communications in multiport message-passing systems", 1997; a page for all nodes takes
// a binomial tree.)
//
// Rejected: a square grid, as one of 32 x 32, has two rounds of 31 messages a node, where this has
// ten of one. A tree has as few messages, but the bytes of all pass through its root.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/context/context.hpp"

namespace weft {

class Exchange {
 public:
  Exchange(Context& context, ExchangeKind kind) : context_(context), kind_(kind) {}

  // What this node has for others. `to`: ascending, without this node.
  struct Own {
    std::vector<NodeId> to;
    Bytes message;  // with its header
  };

  // An epoch ends with such an exchange: each node takes part, though it may have nothing to send.
  void begin();
  // Until all rounds have been sent, and all that came was delivered.
  [[nodiscard]] bool is_under_way() const { return rounds_.has_value(); }
  // All that this node has for others, once. Its rounds go as soon as those before have come.
  void send(std::vector<Own> own);
  // A round has come: passes on what is not for this node alone. Then what is for this node is to
  // be delivered, and note_delivered() called. The views stay the message's.
  void pass_on(const ExchangeRound& message);
  void note_delivered();

 private:
  struct Kept {
    NodeId from;
    std::vector<NodeId> to;  // still to be reached
    Bytes message;
  };
  struct Rounds {
    bool is_ready = false;  // this node's own is known
    std::vector<bool> came;
    unsigned next = 0;  // to be sent
    unsigned delivered = 0;
    std::vector<Kept> kept;
  };

  [[nodiscard]] std::uint32_t distance_to(NodeId node) const;
  void send_what_is_due();
  void send_round(unsigned round);
  void end_if_complete();

  Context& context_;
  ExchangeKind kind_;
  std::optional<Rounds> rounds_;
};

// So many are in an exchange of so many nodes.
[[nodiscard]] unsigned exchange_rounds(std::uint16_t node_count);
// So many times a thing for these nodes is sent, by all nodes together, if it goes through one.
// `from` is not among them.
[[nodiscard]] std::size_t exchange_hops(NodeId from, const std::vector<NodeId>& to,
                                        std::uint16_t node_count);

}  // namespace weft
