// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/operations/posts.hpp"

#include "protocol/interface/bugs.hpp"
#include "protocol/updates/completion.hpp"

namespace weft {

void Posts::post(NodeId to, ByteView payload) {
  ++context_.counters.posts_sent;
  WEFT_PROBE(context_, kPost);
  if (context_.is_self(to)) {
    coherence_.note_local_release();
    return deliver(to, payload);
  }
  const step::SendPost next{to, Bytes(payload.begin(), payload.end())};
  if (WEFT_BUG(kPostUnreleased) || coherence_.release_or_keep(next)) send(next);
}

void Posts::send(const step::SendPost& step) {
  Post message{{}, step.payload};
  if (!WEFT_BUG(kPostWithoutRecords)) message.records = coherence_.unsent_records(step.to);
  context_.send(step.to, Priority::kControl, message);
}

void Posts::on_post(NodeId from, Epoch epoch, const Post& message) {
  coherence_.apply(epoch, message.records);
  deliver(from, message.payload);
}

void Posts::deliver(NodeId from, ByteView payload) {
  const step::DeliverPost delivery{from, Bytes(payload.begin(), payload.end())};
  if (WEFT_BUG(kPostUnsettled)) return complete(context_.effects, delivery);
  complete_when_settled(context_, streams_, delivery);
}

}  // namespace weft
