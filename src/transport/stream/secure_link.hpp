// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One end of a connection: it proves to the other end that this node belongs to the job, and makes
// sure of the same. Pure: bytes of the network go in and come out, and no socket is touched.
// Whatever comes in, it only ever ends in kFailed.
#pragma once

#include <memory>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "transport/stream/job_key.hpp"
#include "transport/stream/stream_frames.hpp"

namespace weft {

class SecureLink {
 public:
  enum class State { kProving, kOpen, kFailed };

  virtual ~SecureLink() = default;

  // Takes what has come from the network; frames that it carries go to the decoder.
  virtual void receive(ByteView network, StreamFrameDecoder& decoder) = 0;
  // Puts frames into outgoing(). Only while kOpen. What is left in `frames` is of no use.
  virtual void send(Bytes& frames) = 0;

  // What is to go to the network; whoever sends it takes it away.
  [[nodiscard]] Bytes& outgoing() { return outgoing_; }
  [[nodiscard]] State state() const { return state_; }
  // The other end; once kOpen, it has proved to know the key.
  [[nodiscard]] NodeId peer() const { return peer_; }

 protected:
  Bytes outgoing_;
  State state_ = State::kProving;
  NodeId peer_;
};

// Makes the links of one node.
class LinkMaker {
 public:
  virtual ~LinkMaker() = default;
  [[nodiscard]] virtual std::unique_ptr<SecureLink> call(NodeId peer) = 0;
  // For a connection that somebody has made to this node.
  [[nodiscard]] virtual std::unique_ptr<SecureLink> answer() = 0;
};

// TLS 1.3, with keys made for each connection.
[[nodiscard]] std::unique_ptr<LinkMaker> make_tls_links(NodeId self, const JobKey& key,
                                                        std::uint64_t records_of_a_key = 1U << 22);
// The same proof, then frames that anyone on the way can read and change.
[[nodiscard]] std::unique_ptr<LinkMaker> make_plain_links(NodeId self, const JobKey& key);

}  // namespace weft
