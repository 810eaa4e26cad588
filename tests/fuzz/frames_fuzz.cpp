// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What comes on a connection between nodes once it is open: the stream's frames, and the flow that
// makes messages of them. UCX's frames, and those of routed transports, come to the same flow.
#include "fuzz/fuzzed.hpp"
#include "transport/flow.hpp"
#include "transport/stream/stream_address.hpp"
#include "transport/stream/stream_frames.hpp"

namespace {

using weft::NodeId;

void check_frames(weft::ByteView bytes) {
  weft::TransportCounters counters;
  weft::Flow flow(NodeId(1), NodeId(2), {}, counters);
  weft::StreamFrameDecoder decoder;
  const weft::Receiver receiver = [](NodeId from, weft::ByteView message) {
    const weft::Bytes copy(message.begin(), message.end());  // all of it can be read
    WEFT_ASSERT(from == NodeId(2) && copy.size() == message.size(), "a message of another node");
  };
  weft::fuzzed::in_pieces(bytes, [&](weft::ByteView piece) {
    decoder.append(piece);
    while (const auto frame = decoder.next()) {
      WEFT_ASSERT(frame->payload.size() <= weft::kMaxStreamPayload, "a frame that is too long");
      if (flow.is_possible(frame->header.frame)) {
        (void)flow.on_frame(frame->header.frame, frame->payload, receiver);
      }
      while (flow.next_frame()) {
      }
    }
  });
}

void check_address(weft::ByteView bytes) {
  const auto address = weft::StreamAddress::of_bytes(bytes);
  if (!address) return;
  const weft::Bytes again = address.value().to_bytes();
  WEFT_ASSERT(std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()), "it changes");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::ByteView bytes = weft::fuzzed::input(data, size);
  if (weft::fuzzed::choice(bytes) % 8 == 0) {
    check_address(bytes);
  } else {
    check_frames(bytes);
  }
  return 0;
}
