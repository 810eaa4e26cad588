// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What both transports share: how messages to and from one peer become frames. Pure: it holds
// queues and counts, and never touches a network.
//
//   send ──> queue of each channel ──> next_frame() ··· network ··· on_frame() ──> whole messages
//
// - Messages are cut into frames of at most half a window, so that none is ever too large for the
//   network, and so that a window which is half consumed always has room for the next frame.
// - Control frames go first. Data frames go while the bytes that the peer has not acknowledged
//   stay within the window.
// - Every frame carries its channel's sequence number. Frames that a network hands over in another
//   order (several rails, rendezvous, loud and quiet ones) are set aside until their turn.
// - Acknowledgements count consumed data bytes. They ride on whatever goes back; once half a
//   window is owed and nothing goes back, a frame of its own carries them. Those on quiet frames do
//   not count, as nobody may look at them for long.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "transport/transport.hpp"

namespace weft {

struct FlowOptions {
  std::size_t window_bytes = 256 * 1024;  // of data, for each peer and direction; at least 2
  std::size_t frame_bytes = 128 * 1024;   // payload of a frame at most; half a window at most
};

struct FrameHeader {
  std::uint64_t sequence = 0;            // of this frame in its channel, from 0
  std::uint64_t acknowledged_bytes = 0;  // data that the sender of this frame has consumed so far
  NodeId from;
  Channel channel = Channel::kControl;
  std::uint8_t last = 1;                  // ends a message
  std::uint8_t acknowledgement_only = 0;  // carries no message; sequence does not count
  std::uint8_t unused[3] = {};
};
static_assert(sizeof(FrameHeader) == 24);

// A message on its way out, kept until the network has taken the last of it.
struct OutgoingMessage {
  MessageSegments segments;
  std::size_t bytes = 0;
  Loudness loudness = Loudness::kLoud;
};

struct Frame {
  FrameHeader header;
  Loudness loudness = Loudness::kLoud;  // the receiver need not know
  std::vector<ByteView> pieces;         // into `message`
  std::size_t bytes = 0;                // of all pieces
  std::shared_ptr<const OutgoingMessage> message;
};

// Both directions between this node and one peer.
class Flow {
 public:
  Flow(NodeId self, NodeId peer, const FlowOptions& options, TransportCounters& counters);

  void enqueue(Channel channel, MessageSegments segments, Loudness loudness = Loudness::kLoud);
  // The next frame that may go now, if any.
  [[nodiscard]] std::optional<Frame> next_frame();
  // True if nothing waits for the window or for next_frame().
  [[nodiscard]] bool drained() const { return queues_[0].empty() && queues_[1].empty(); }
  // True if next_frame() would return one.
  [[nodiscard]] bool has_frame() const;
  // True if frames are here that others before them are not.
  [[nodiscard]] bool has_early() const {
    return !incoming_[0].early.empty() || !incoming_[1].early.empty();
  }

  // False: no peer of a job sends such a frame, or not now. It must not come to on_frame().
  [[nodiscard]] bool is_possible(const FrameHeader& header) const;
  // Takes a frame from the network; hands over every message that it completes and returns how
  // many. The payload is only read during the call.
  std::size_t on_frame(const FrameHeader& header, ByteView payload, const Receiver& receiver);

 private:
  struct Queued {
    std::shared_ptr<const OutgoingMessage> message;
    std::size_t sent_bytes = 0;
  };
  struct Incoming {
    std::uint64_t next_sequence = 0;
    Bytes partial;  // the frames so far of an unfinished message
    std::map<std::uint64_t, std::pair<FrameHeader, Bytes>> early;
  };

  [[nodiscard]] std::size_t next_bytes(const Queued& queued) const;
  [[nodiscard]] bool window_open() const;
  [[nodiscard]] bool acknowledgement_due() const;
  [[nodiscard]] bool is_half_full() const;
  [[nodiscard]] Frame take_frame(Channel channel);
  std::size_t accept(const FrameHeader& header, ByteView payload, const Receiver& receiver);
  void stamp(FrameHeader& header) const;

  NodeId self_, peer_;
  FlowOptions options_;
  TransportCounters& counters_;

  std::deque<Queued> queues_[2];
  std::uint64_t next_sequence_[2] = {};
  std::uint64_t data_sent_ = 0, data_acknowledged_ = 0;      // bytes of data to the peer
  std::uint64_t data_consumed_ = 0, consumed_reported_ = 0;  // bytes of data from the peer
  Incoming incoming_[2];
};

}  // namespace weft
