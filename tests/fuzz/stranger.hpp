// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stranger's connection, before it has proved anything, at both ends: the first byte chooses
// which. Nothing that does not know the key opens it.
#pragma once

#include "fuzz/fuzzed.hpp"
#include "transport/stream/secure_link.hpp"

namespace weft::fuzzed {

[[nodiscard]] inline JobKey some_key() {
  JobKey key;
  key.bytes.fill(std::byte{1});
  return key;
}

inline void check_stranger(LinkMaker& maker, ByteView bytes) {
  const bool calls = choice(bytes) % 2 != 0;
  const auto link = calls ? maker.call(NodeId(5)) : maker.answer();
  StreamFrameDecoder decoder;
  in_pieces(bytes, [&](ByteView piece) {
    link->receive(piece, decoder);
    link->outgoing().clear();
    WEFT_ASSERT(link->state() != SecureLink::State::kOpen, "a stranger has opened it");
    WEFT_ASSERT(!decoder.next().has_value(), "a stranger's frame is taken");
  });
}

}  // namespace weft::fuzzed
