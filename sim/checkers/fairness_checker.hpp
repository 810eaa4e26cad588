// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Watches the messages for nodes that know of a successor for a lock and keep it all the same.
#pragma once

#include <map>
#include <utility>

#include "protocol/engine.hpp"

namespace weft::sim {

class FairnessChecker {
 public:
  explicit FairnessChecker(std::uint32_t limit) : limit_(limit) {}

  void on_delivered(NodeId at, Epoch epoch, ByteView message);
  void on_sent(NodeId by, ByteView message);
  void on_taken(NodeId node, LockId lock);

 private:
  std::uint32_t limit_;
  std::map<std::pair<NodeId, LockId>, std::uint32_t> taken_since_;
};

}  // namespace weft::sim
