// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/checkers/fairness_checker.hpp"

#include "protocol/messages/message_codec.hpp"
#include "sim/checkers/failure.hpp"

namespace weft::sim {

void FairnessChecker::on_delivered(NodeId at, Epoch epoch, ByteView message) {
  WireReader wire(message);
  const MessageHeader header = read_header(wire);
  // One of a later epoch is set aside: the node does not know of its successor yet.
  if (header.type != MessageType::kLockForward || header.epoch > epoch) return;
  const auto forward = decode<LockForward>(wire);
  // A node's own request comes back to it where the lock's home has moved there.
  if (!forward.try_only && forward.asker != at) taken_since_[{at, forward.lock}] = 0;
}

void FairnessChecker::on_sent(NodeId by, ByteView message) {
  WireReader wire(message);
  if (read_header(wire).type != MessageType::kLockGrant) return;
  taken_since_.erase({by, decode<LockGrant>(wire).lock});
}

void FairnessChecker::on_taken(NodeId node, LockId lock) {
  const auto waited = taken_since_.find({node, lock});
  if (waited == taken_since_.end()) return;
  // Two more than are passed on: the one that came with the token, and one that was given the lock
  // and waited for updates when the successor became known.
  SIM_CHECK(++waited->second <= limit_ + 2, "node {} keeps lock {} from the next node",
            node.value(), lock.value());
}

}  // namespace weft::sim
