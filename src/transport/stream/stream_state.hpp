// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What StreamTransport knows of each peer and each connection.
#pragma once

#include <sys/epoll.h>

#include <cstdint>
#include <list>
#include <memory>

#include "transport/stream/stream_transport.hpp"

namespace weft {

enum class StreamStage : std::uint8_t {
  kConnecting,   // a call, until the peer's host answers
  kProving,      // until both know the other
  kAsking,       // a call, until it is welcomed
  kWelcomed,     // by this node, until the caller confirms it
  kEstablished,  // frames go both ways
};

struct StreamTransport::Connection {
  int socket = -1;
  NodeId peer;  // of a call, or once proven
  bool is_call = false;
  // A call that another connection has made useless. It is kept until the peer closes it: else it
  // would be counted there as a stranger's.
  bool is_given_up = false;
  StreamStage stage = StreamStage::kProving;
  std::unique_ptr<SecureLink> link;  // null until bytes have come, or until connected
  StreamFrameDecoder decoder;
  std::size_t sent = 0;  // of link->outgoing()
  std::uint32_t events = 0;
  Time deadline = Time::max();
  std::list<std::unique_ptr<Connection>>::iterator place;
  bool is_broken = false;  // nothing can be sent any more
  bool is_closed = false;
};

struct StreamTransport::Peer {
  Peer(NodeId peer, const StreamOptions& options, TransportCounters& counters)
      : node(peer), flow(options.self, peer, options.flow, counters) {}

  NodeId node;
  StreamAddress address;
  Flow flow;
  bool failed = false;
  Connection* connection = nullptr;  // welcomed by this node, or established
  Connection* call = nullptr;        // under way
  Time first_call = Time::max();     // of those that came to nothing
  Time call_again = Time::max();
  std::chrono::milliseconds pause{0};
};

}  // namespace weft
