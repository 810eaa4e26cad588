// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nodes say to the launcher, and what follows from it.
#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>

#include "runtime/bootstrap/bootstrap_wire.hpp"
#include "weft/supervise.hpp"

namespace weft {
namespace {

constexpr unsigned kLostPeerGraceMs = 1000;  // for the death that explains a lost connection

std::string text(ByteView bytes) {
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

void JobSupervisor::on_link(unsigned number) {
  Node& node = nodes_[number];
  if (node.process.link < 0) return;
  std::byte buffer[16384];
  while (true) {
    const ssize_t count = recv(node.process.link, buffer, sizeof buffer, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (count <= 0) {
      unwatch(node.process.link);
      break;
    }
    node.from_node.append(ByteView(buffer, static_cast<std::size_t>(count)));
  }
  while (auto message = node.from_node.next()) on_message(number, message->first, message->second);
  if (!node.from_node.good()) unwatch(node.process.link);
}

void JobSupervisor::on_message(unsigned node, BootstrapMessage kind, const Bytes& body) {
  if (ending_) return;
  switch (kind) {
    case BootstrapMessage::kExchange:
      return on_exchange(node, body);
    case BootstrapMessage::kFinished:
      return on_finished(node, from_bytes<int>(body).value_or(1));
    case BootstrapMessage::kFailure:
      return end(1, fmt::format("{}: {}", name_of(node), text(body)), node);
    case BootstrapMessage::kLostPeer: {
      const LostPeer lost = from_bytes<LostPeer>(body).value_or(LostPeer());
      return set_deadline(Deadline::Kind::kLostPeer, kLostPeerGraceMs,
                          fmt::format("{} lost its connection to node {}: {}; the job is ended",
                                      name_of(node), lost.peer.value(), lost.reason));
    }
    case BootstrapMessage::kSettled:
      for (const int stream : {0, 1}) output_.settle_line(node, stream);
      return;
    case BootstrapMessage::kExchanged:
      break;
  }
}

void JobSupervisor::on_exchange(unsigned node, const Bytes& body) {
  nodes_[node].exchange = body;
  std::vector<ByteView> all;
  for (const Node& each : nodes_) {
    if (!each.exchange) return;
    all.emplace_back(*each.exchange);
  }
  const Bytes message = encode_bootstrap_message(BootstrapMessage::kExchanged, to_bytes(all));
  for (Node& each : nodes_) {
    each.exchange.reset();
    ByteView rest = message;
    // The nodes wait for nothing but this, so that it cannot block for long.
    while (!rest.empty() && each.process.link >= 0) {
      const ssize_t sent = send(each.process.link, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno != EINTR) break;
      if (sent > 0) rest = rest.subspan(static_cast<std::size_t>(sent));
    }
  }
}

void JobSupervisor::on_finished(unsigned node, int status) {
  if (node != 0 || (status & kEndAtOnce) != 0) return end(status & 0xff, "", node);
  finished_ = true;
  status_ = status & 0xff;
}

}  // namespace weft
