// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nodes bring to a barrier, on its way up the tree (protocol/tree.md, 7). Either each node
// makes one of what its children brought and its own; or, where the tree may change, all is passed
// on as it is, and node 0 has it in the order of the nodes, whatever the tree looks like.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/codec.hpp"
#include "protocol/interface/effects.hpp"
#include "protocol/interface/engine_config.hpp"

namespace weft {

// How one stands among others that are passed on.
struct PassedOn {
  NodeId from;
  ByteView bytes;
  WEFT_FIELDS(self.from, self.bytes)
};

class Contributions {
 public:
  explicit Contributions(const EngineConfig& config) : config_(config) {}

  void bring(const Bytes& own);
  void on_part(NodeId child, ByteView bytes);
  // The child has arrived, with these bytes or after parts; so many are to come in all.
  void on_arrive(NodeId child, std::uint64_t expected, ByteView bytes);
  // Nothing is missing of what the children that have arrived bring.
  [[nodiscard]] bool are_complete() const;
  [[nodiscard]] bool are_long() const;
  // For this node to make one of.
  [[nodiscard]] std::vector<Contribution> take();
  // All that goes up. Ends the barrier here.
  [[nodiscard]] Bytes take_for_parent();

 private:
  struct Brought {
    Bytes bytes;
    std::uint64_t expected = 0;  // bytes, known once the child has arrived
  };

  const EngineConfig& config_;
  Bytes own_;
  std::map<NodeId, Brought> of_children_;
};

}  // namespace weft
