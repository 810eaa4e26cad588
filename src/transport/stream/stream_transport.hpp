// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages to nodes of other hosts over TCP, which only nodes of the job can take part in: frames
// (transport/flow.hpp) over links that have proved the job's key (secure_link.hpp). It listens at
// one address of one interface.
//
// A connection is made at the first message between two nodes:
//
//   caller                             called
//     | == both prove the key =========> |
//     | <------------------- welcome --- |   the called node has no other connection to the caller
//     | -- confirm, frames ------------> |
//     | <-------------------- frames --- |   only now: the caller may have given up meanwhile
//
// If both call at once, the call of the lower node is the one that is welcomed; the other is closed
// when it has proved the key, without a word. A call that ends before it is welcomed is tried
// again; messages wait in the flow until then, so none is lost or comes twice. Once a connection is
// confirmed, its end is the peer's failure.
//
// Strangers: a connection that proves nothing is closed after some seconds, or when too many others
// have come, and counted. No thread ever waits for one, and until bytes come it costs a descriptor
// alone.
#pragma once

#include <chrono>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "transport/flow.hpp"
#include "transport/stream/secure_link.hpp"
#include "transport/stream/stream_address.hpp"
#include "transport/transport.hpp"

namespace weft {

struct StreamOptions {
  NodeId self;
  FlowOptions flow;
  StreamAddress address;  // to listen at; its port is not used
  bool encrypted = true;
  PeerFailureHandler on_peer_failure;    // may be empty: failures are then only counted
  void (*on_new_socket)(int) = nullptr;  // of each that is made after create(); may be null

  // For strangers: how many at once, and how long each.
  std::size_t most_unproven = 64;
  std::chrono::milliseconds proof_limit = std::chrono::seconds(10);
  // A peer whose host does not answer for so long has failed; 0: it never has.
  std::chrono::milliseconds silence_limit = std::chrono::seconds(10);
  // A peer has failed whose host answers, but which does not take the connection.
  std::chrono::milliseconds welcome_limit = std::chrono::seconds(60);
};

class StreamTransport final : public Transport {
 public:
  // Listens from now on. What comes is looked at from connect() on.
  static Result<std::unique_ptr<StreamTransport>> create(StreamOptions options);
  ~StreamTransport() override;

  // What the other nodes need to reach this one.
  [[nodiscard]] Bytes address() const { return listens_at_.to_bytes(); }
  // Gives every node's address, by node number (empty: never to be reached by this transport), and
  // the job's key; once, before the first send or poll.
  [[nodiscard]] Status connect(const std::vector<Bytes>& addresses, const JobKey& key);

  using Transport::send;
  // Quiet messages are like any other: the kernel wakes who waits for a connection, whatever comes.
  void send(NodeId to, Channel channel, MessageSegments segments, Loudness loudness) override;
  using Transport::poll;
  std::size_t poll(const Receiver& receiver, ArmedFor what) override;
  [[nodiscard]] int event_descriptor() const override { return epoll_; }
  // The descriptor is readable as long as there is work, whoever has polled.
  [[nodiscard]] bool arm(ArmedFor) override { return true; }
  [[nodiscard]] bool needs_polling() const override { return false; }
  // True only when the peers' hosts have acknowledged everything: what is still here when this
  // process ends may be lost.
  [[nodiscard]] bool drained() const override;
  [[nodiscard]] const TransportCounters& counters() const override { return counters_; }

 private:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;
  struct Connection;
  struct Peer;

  explicit StreamTransport(StreamOptions options);
  [[nodiscard]] Status listen();
  Peer& peer(NodeId node);

  // --- calls (stream_calls.cpp) ---
  void call(Peer& peer);
  [[nodiscard]] Time answer_deadline(const Peer& target) const;
  void call_again_later(Peer& peer, const std::string& reason);
  void on_connected(Connection& call);
  void on_proven(Connection& connection);
  void answer_proven(Connection& connection);
  void on_welcome(Connection& call);
  void on_confirm(Connection& connection);
  void accept_some();
  void make_room_for_one();
  void forget_unproven(Connection& connection);
  void on_time();
  void set_timer();
  [[nodiscard]] Time next_deadline() const;

  // --- connections (stream_transport.cpp) ---
  Connection& add_connection(int socket, NodeId peer, std::uint32_t events);
  void watch(Connection& connection, std::uint32_t events);
  void on_event(Connection& connection, std::uint32_t events);
  void on_readable(Connection& connection);
  void take_frames(Connection& connection);
  void on_frame(Connection& connection, const StreamFrameDecoder::Decoded& frame);
  void put(Connection& connection, StreamFrameKind kind);
  // Hands what may go to the kernel, as far as it takes it.
  void pump(Peer& peer);
  void fill(Connection& connection, Flow& flow);
  void flush(Connection& connection);
  // It has ended, or must; what that means depends on how far it had come.
  void end(Connection& connection, const std::string& reason);
  void close(Connection& connection);
  void fail(Peer& peer, const std::string& reason);

  StreamOptions options_;
  TransportCounters counters_;
  std::unique_ptr<LinkMaker> links_;
  StreamAddress listens_at_;
  int epoll_ = -1, listener_ = -1, timer_ = -1;
  bool listens_ = false;  // connections are taken as they come
  bool is_timer_right_ = false;
  std::vector<std::unique_ptr<Peer>> peers_;  // by node; null where none is to be reached
  std::list<std::unique_ptr<Connection>> connections_;
  std::list<std::unique_ptr<Connection>> closed_;  // until nothing can point to them
  std::deque<Connection*> unproven_;               // those of others, the oldest first
  std::unique_ptr<std::byte[]> scratch_;           // what is received
  Bytes plain_;                                    // frames on their way into a link
  const Receiver* receiver_ = nullptr;
  std::size_t handed_over_ = 0;
};

}  // namespace weft
