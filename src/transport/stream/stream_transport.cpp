// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transport/stream/stream_transport.hpp"

#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "transport/stream/stream_sockets.hpp"
#include "transport/stream/stream_state.hpp"

namespace weft {
namespace {

constexpr std::size_t kScratchBytes = 256 * 1024;
// One connection is read at most so often in one poll(), so that a flood cannot hold it.
constexpr int kReadsPerPoll = 4;
constexpr int kEventsPerPoll = 64;
// Small frames go to the network together, up to this.
constexpr std::size_t kBatchBytes = 16 * 1024;

}  // namespace

Result<std::unique_ptr<StreamTransport>> StreamTransport::create(StreamOptions options) {
  std::unique_ptr<StreamTransport> transport(new StreamTransport(std::move(options)));
  const Status listening = transport->listen();
  if (!listening) return listening.failure();
  return transport;
}

StreamTransport::StreamTransport(StreamOptions options)
    : options_(std::move(options)),
      scratch_(std::make_unique_for_overwrite<std::byte[]>(kScratchBytes)) {
  options_.flow.frame_bytes = std::min(options_.flow.frame_bytes, kMaxStreamPayload);
}

StreamTransport::~StreamTransport() {
  for (const auto& each : connections_) {
    if (!each->is_closed) ::close(each->socket);
  }
  for (const int each : {listener_, timer_, epoll_}) {
    if (each >= 0) ::close(each);
  }
}

Status StreamTransport::listen() {
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  Result<int> listener = listening_socket(options_.address.without_port());
  if (!listener) return Failure{listener.error()};
  listener_ = listener.value();
  if (epoll_ < 0 || timer_ < 0) return Failure{"no descriptors are left for the network"};
  listens_at_ = StreamAddress::of_socket(listener_);
  watch_descriptor(epoll_, EPOLL_CTL_ADD, listener_, 0, &listener_);
  watch_descriptor(epoll_, EPOLL_CTL_ADD, timer_, EPOLLIN, &timer_);
  return {};
}

Status StreamTransport::connect(const std::vector<Bytes>& addresses, const JobKey& key) {
  WEFT_ASSERT(peers_.empty() && addresses.size() <= kMaxNodes);
  links_ = options_.encrypted ? make_tls_links(options_.self, key)
                              : make_plain_links(options_.self, key);
  peers_.resize(addresses.size());
  for (NodeId node; node.value() < addresses.size(); ++node) {
    const Bytes& bytes = addresses[node.value()];
    if (node == options_.self || bytes.empty()) continue;
    Result<StreamAddress> address = StreamAddress::of_bytes(bytes);
    if (!address) return Failure{fmt::format("node {}: {}", node.value(), address.error())};
    peers_[node.value()] = std::make_unique<Peer>(node, options_, counters_);
    peers_[node.value()]->address = address.value();
  }
  listens_ = true;
  watch_descriptor(epoll_, EPOLL_CTL_MOD, listener_, EPOLLIN, &listener_);
  return {};
}

StreamTransport::Peer& StreamTransport::peer(NodeId node) {
  WEFT_ASSERT(node.value() < peers_.size() && peers_[node.value()] != nullptr,
              "node {} is no peer of node {}", node.value(), options_.self.value());
  return *peers_[node.value()];
}

void StreamTransport::send(NodeId to, Channel channel, MessageSegments segments, Loudness) {
  Peer& target = peer(to);
  if (target.failed) return;
  target.flow.enqueue(channel, std::move(segments));
  pump(target);
  if (!is_timer_right_) set_timer();
}

std::size_t StreamTransport::poll(const Receiver& receiver, ArmedFor /*what*/) {
  WEFT_ASSERT(receiver_ == nullptr, "poll() was called by a receiver");
  receiver_ = &receiver;
  handed_over_ = 0;
  epoll_event events[kEventsPerPoll];
  const int count = epoll_wait(epoll_, events, kEventsPerPoll, 0);
  for (int each = 0; each < count; ++each) {
    void* const what = events[each].data.ptr;
    if (what == &listener_) {
      accept_some();
    } else if (what == &timer_) {
      on_time();
    } else {
      on_event(*static_cast<Connection*>(what), events[each].events);
    }
  }
  closed_.clear();
  if (!is_timer_right_) set_timer();
  receiver_ = nullptr;
  return handed_over_;
}

bool StreamTransport::drained() const {
  return std::all_of(peers_.begin(), peers_.end(), [](const std::unique_ptr<Peer>& each) {
    if (each == nullptr || each->failed) return true;
    const bool is_broken = each->connection != nullptr && each->connection->is_broken;
    if (!each->flow.drained() && !is_broken) return false;
    if (each->connection == nullptr || each->connection->is_broken) return true;
    int unacknowledged = 0;
    ioctl(each->connection->socket, SIOCOUTQ, &unacknowledged);
    return unacknowledged == 0 && each->connection->link->outgoing().empty();
  });
}

StreamTransport::Connection& StreamTransport::add_connection(int socket, NodeId peer,
                                                             std::uint32_t events) {
  connections_.push_back(std::make_unique<Connection>());
  Connection& connection = *connections_.back();
  connection.place = std::prev(connections_.end());
  connection.socket = socket;
  connection.peer = peer;
  connection.events = events;
  if (options_.on_new_socket != nullptr) options_.on_new_socket(socket);
  watch_descriptor(epoll_, EPOLL_CTL_ADD, socket, events, &connection);
  return connection;
}

void StreamTransport::watch(Connection& connection, std::uint32_t events) {
  if (std::exchange(connection.events, events) == events) return;
  watch_descriptor(epoll_, EPOLL_CTL_MOD, connection.socket, events, &connection);
}

void StreamTransport::on_event(Connection& connection, std::uint32_t events) {
  if (connection.is_closed) return;
  if (connection.stage == StreamStage::kConnecting) return on_connected(connection);
  if ((events & EPOLLOUT) != 0) {
    flush(connection);
    if (connection.stage == StreamStage::kEstablished) pump(peer(connection.peer));
  }
  if (!connection.is_closed && (events & ~EPOLLOUT) != 0) on_readable(connection);
}

void StreamTransport::on_readable(Connection& connection) {
  for (int turn = 0; turn < kReadsPerPoll && !connection.is_closed; ++turn) {
    const ssize_t got = recv(connection.socket, scratch_.get(), kScratchBytes, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got < 0) return end(connection, std::strerror(errno));
    if (got == 0) return end(connection, "the connection was closed");
    if (!connection.link) connection.link = links_->answer();
    connection.link->receive({scratch_.get(), static_cast<std::size_t>(got)}, connection.decoder);
    take_frames(connection);
    if (static_cast<std::size_t>(got) < kScratchBytes) return;
  }
}

// After the link has taken bytes.
void StreamTransport::take_frames(Connection& connection) {
  flush(connection);
  if (connection.stage == StreamStage::kProving &&
      connection.link->state() == SecureLink::State::kOpen) {
    on_proven(connection);
  }
  while (!connection.is_closed) {
    const auto frame = connection.decoder.next();
    if (!frame) break;
    on_frame(connection, *frame);
  }
  if (connection.is_closed) return;
  if (!connection.decoder.good()) return end(connection, "it sent what is no frame");
  if (connection.link->state() == SecureLink::State::kFailed) {
    const bool was_proven = connection.stage != StreamStage::kProving;
    return end(connection, was_proven ? "what it sent was damaged on its way"
                                      : "it did not prove that it belongs to the job");
  }
  if (connection.stage == StreamStage::kEstablished) pump(peer(connection.peer));
}

void StreamTransport::on_frame(Connection& connection, const StreamFrameDecoder::Decoded& frame) {
  const StreamFrameKind kind = frame.header.kind;
  if (kind == StreamFrameKind::kWelcome && connection.stage == StreamStage::kAsking) {
    return on_welcome(connection);
  }
  if (kind == StreamFrameKind::kConfirm && connection.stage == StreamStage::kWelcomed) {
    return on_confirm(connection);
  }
  if (kind != StreamFrameKind::kFrame || connection.stage != StreamStage::kEstablished ||
      !peer(connection.peer).flow.is_possible(frame.header.frame)) {
    return end(connection, "it sent a frame that does not belong here");
  }
  handed_over_ +=
      peer(connection.peer).flow.on_frame(frame.header.frame, frame.payload, *receiver_);
}

void StreamTransport::put(Connection& connection, StreamFrameKind kind) {
  Bytes frame;
  append_header(frame, {.payload_bytes = 0, .kind = kind, .frame = {}});
  connection.link->send(frame);
  flush(connection);
}

void StreamTransport::pump(Peer& target) {
  if (target.failed) return;
  if (target.connection == nullptr) {
    const bool waits = target.call != nullptr || target.call_again != Time::max();
    if (!waits && target.flow.has_frame()) call(target);
    return;
  }
  Connection& connection = *target.connection;
  while (connection.stage == StreamStage::kEstablished && !connection.is_broken) {
    flush(connection);
    if (!connection.link->outgoing().empty() || !target.flow.has_frame()) return;
    fill(connection, target.flow);
  }
}

// Frames leave the flow only when the kernel has taken those before: what is urgent passes others
// in the flow alone.
void StreamTransport::fill(Connection& connection, Flow& flow) {
  plain_.clear();
  while (plain_.size() < kBatchBytes) {
    const std::optional<Frame> frame = flow.next_frame();
    if (!frame) break;
    append_header(plain_, {.payload_bytes = static_cast<std::uint32_t>(frame->bytes),
                           .kind = StreamFrameKind::kFrame,
                           .frame = frame->header});
    for (const ByteView piece : frame->pieces) {
      plain_.insert(plain_.end(), piece.begin(), piece.end());
    }
  }
  connection.link->send(plain_);
}

// A peer that has left may have sent something before, which is still to be read: so it is only
// reading that ends a connection.
void StreamTransport::flush(Connection& connection) {
  if (!connection.link) return;
  Bytes& outgoing = connection.link->outgoing();
  while (connection.sent < outgoing.size() && !connection.is_broken) {
    const ssize_t taken = ::send(connection.socket, outgoing.data() + connection.sent,
                                 outgoing.size() - connection.sent, MSG_NOSIGNAL);
    if (taken >= 0) {
      connection.sent += static_cast<std::size_t>(taken);
    } else if (errno == EAGAIN) {
      return watch(connection, EPOLLIN | EPOLLOUT);
    } else if (errno != EINTR) {
      connection.is_broken = true;
    }
  }
  outgoing.clear();
  connection.sent = 0;
  watch(connection, EPOLLIN);
}

void StreamTransport::end(Connection& connection, const std::string& reason) {
  if (connection.is_closed) return;
  const StreamStage stage = connection.stage;
  const bool is_of_stranger = !connection.is_call && stage == StreamStage::kProving;
  const bool is_given_up = connection.is_given_up;
  close(connection);
  if (is_of_stranger) {
    ++counters_.connections_refused;
    return forget_unproven(connection);
  }
  if (is_given_up) return;
  Peer& target = peer(connection.peer);
  if (stage == StreamStage::kEstablished) return fail(target, reason);
  if (connection.is_call) {
    target.call = nullptr;
    return call_again_later(target, reason);
  }
  target.connection = nullptr;
  pump(target);
}

void StreamTransport::close(Connection& connection) {
  if (std::exchange(connection.is_closed, true)) return;
  // A child that the program has forked may have the socket as well: closing would not take it out.
  watch_descriptor(epoll_, EPOLL_CTL_DEL, connection.socket, 0, nullptr);
  ::close(connection.socket);
  closed_.splice(closed_.end(), connections_, connection.place);
  is_timer_right_ = false;
}

void StreamTransport::fail(Peer& target, const std::string& reason) {
  if (std::exchange(target.failed, true)) return;
  target.call_again = Time::max();
  for (Connection* const each :
       {std::exchange(target.connection, nullptr), std::exchange(target.call, nullptr)}) {
    if (each != nullptr) close(*each);
  }
  if (options_.on_peer_failure) options_.on_peer_failure(target.node, reason);
}

}  // namespace weft
