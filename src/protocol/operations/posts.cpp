// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/operations/posts.hpp"

#include "protocol/interface/bugs.hpp"

namespace weft {

void Posts::post(NodeId to, ByteView payload) {
  ++context_.counters.posts_sent;
  WEFT_PROBE(context_, kPost);
  if (context_.is_self(to)) {
    coherence_.note_local_release();
    return deliver(to, payload);
  }
  coherence_.release([this, to, copy = Bytes(payload.begin(), payload.end())] {
    Post message{{}, copy};
    if (!WEFT_BUG(kPostWithoutRecords)) message.records = coherence_.unsent_records(to);
    context_.send(to, Priority::kControl, message);
  });
}

void Posts::on_post(NodeId from, Epoch epoch, const Post& message) {
  coherence_.apply(epoch, message.records);
  deliver(from, message.payload);
}

// Those that wait are delivered in the order in which they came: what one waits for, the next
// waits for too.
void Posts::deliver(NodeId from, ByteView payload) {
  streams_.when_settled([this, from, copy = Bytes(payload.begin(), payload.end())] {
    context_.effects.deliver_post(from, copy);
  });
}

}  // namespace weft
