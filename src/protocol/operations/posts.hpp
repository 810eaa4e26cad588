// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Posts (protocol/operations.md, 13): a payload from one node to one other, with what happened
// before it.
#pragma once

#include "protocol/context/context.hpp"
#include "protocol/intervals/coherence.hpp"

namespace weft {

class Posts {
 public:
  Posts(Context& context, Coherence& coherence, UpdateStreams& streams)
      : context_(context), coherence_(coherence), streams_(streams) {}

  void post(NodeId to, ByteView payload);
  // What was released before is complete.
  void send(const step::SendPost& step);
  void on_post(NodeId from, Epoch epoch, const Post& message);

 private:
  void deliver(NodeId from, ByteView payload);

  Context& context_;
  Coherence& coherence_;
  UpdateStreams& streams_;
};

}  // namespace weft
