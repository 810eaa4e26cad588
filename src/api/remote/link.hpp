// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is on its way to one node, and back: for links.cpp, which sends, and answers.cpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <vector>

#include "api/remote/messages.hpp"
#include "api/remote/records.hpp"
#include "base/signal_safe_mutex.hpp"
#include "runtime/interface/node.hpp"

namespace weft::remote {

struct Packet {
  static constexpr std::uint64_t kFull = std::uint64_t{16} << 10;  // bytes

  std::uint64_t count = 0;
  bool may_wait = true;  // the answers: of messages alone
  Bytes requests, data;
  [[nodiscard]] bool is_full() const { return requests.size() + data.size() >= kFull; }
};

// An operation that has no answer yet.
struct Asked {
  Record* record = nullptr;     // null: it has one, and an older one has not
  Return place;                 // of a get, or of the value before an atomic operation
  std::uint64_t bytes = 0;      // of it, and about so many beside
  std::vector<NodeId> further;  // nodes that a multicast of this one's reaches by way of that node
};

struct Link {
  NodeId to;
  std::deque<Packet> packets;    // not sent; all but the last are full
  std::deque<Packet> forwarded;  // of other nodes' multicasts; these wait for nothing
  // Multicasts of this node that reach that one by way of others: until they are over nothing else
  // leaves, as it might come first.
  std::uint64_t multicasts_elsewhere = 0;
  std::deque<Asked> asked;
  std::uint64_t first_id = 0;  // of the oldest of them
  std::uint64_t bytes_under_way = 0;
  std::uint64_t packets_under_way = 0;
  bool answers_may_wait = false;  // there, of the last packet under way, which is the only one
  Answered held;                  // of packets from there; goes with the next one
  std::atomic<bool> is_being_answered{false};  // some of these
  bool is_hurried = false;                     // a thread waits
  bool is_sending = false;  // some thread sends, and goes on until nothing is due
  std::atomic<std::uint32_t> answered{0};
  bool is_awaited = false;

  [[nodiscard]] std::uint64_t next_id() const { return first_id + asked.size(); }
  [[nodiscard]] bool is_idle() const { return asked.empty() && packets.empty(); }
  [[nodiscard]] bool is_due() const {
    if (!forwarded.empty()) return true;
    return !packets.empty() && multicasts_elsewhere == 0 &&
           (packets_under_way == 0 || answers_may_wait || is_hurried || packets.front().is_full());
  }
  // Into one of the two queues. `what` has the record.
  void add(std::deque<Packet>& queue, Request request, Bytes data, Asked what, bool may_wait) {
    constexpr std::uint64_t kBeside = 128;  // bytes
    request.id = next_id();
    what.bytes = kBeside + request.bytes * request.count;
    bytes_under_way += what.bytes;
    ++what.record->operations;
    asked.push_back(std::move(what));
    const bool is_large = data.size() >= Packet::kFull;
    if (queue.empty() || queue.back().is_full() || is_large) {
      queue.emplace_back();
      queue.back().requests.reserve(kBeside);
    }
    Packet& packet = queue.back();
    ++packet.count;
    packet.may_wait &= may_wait;
    WireWriter(packet.requests)(request);
    append(packet.data, std::move(data));
  }
  // The packet that leaves now.
  [[nodiscard]] Packet take_packet() {
    std::deque<Packet>& queue = forwarded.empty() ? packets : forwarded;
    Packet packet = std::move(queue.front());
    queue.pop_front();
    packet.may_wait &= packets_under_way == 0 && !is_hurried && !packet.is_full();
    answers_may_wait = packet.may_wait;
    if (packets.empty()) is_hurried = false;
    ++packets_under_way;
    return packet;
  }
  void end_packets(std::uint64_t count) {
    packets_under_way -= std::min(count, packets_under_way);
    if (packets_under_way == 0) answers_may_wait = false;
  }
};

struct Links {
  Node* node = nullptr;
  SignalSafeMutex lock;  // no page of the program is touched under it
  std::vector<Link> all;
  // The nodes of the multicasts that are under way by a tree, in their order, which is the same for
  // all; and how many such there are, and messages of theirs.
  std::vector<NodeId> multicast_nodes;
  std::uint64_t multicasts = 0;
  // Other nodes' multicasts that have reached all that this one has passed them to.
  std::vector<Passed> passed;

  [[nodiscard]] Link& to(NodeId other) { return all[other.value()]; }
};
extern Links* links;  // never destroyed: threads may use it until the process ends

// Packets leave in the order in which they were filled, whoever sends them.
void send_due(Link& link);
// Blocks until there is room for more to that node.
void wait_for_room(Link& link);
// Of a program's thread.
[[nodiscard]] Request request_of(const Operation& operation, const Notice* notice);
// The program's bytes, before any lock is taken.
[[nodiscard]] Bytes data_of(const Operation& operation);

// Large operations go in parts, so that the node copies one while another is on its way.
// `send(part, is_last)`.
template <typename Send>
void send_in_parts(const Operation& whole, Send&& send) {
  constexpr std::uint64_t kLargest = std::uint64_t{256} << 10;
  const bool is_copy = whole.kind == Kind::kPut || whole.kind == Kind::kGet;
  Operation part = whole;
  // What is left in `part` is at most so large then, in bytes of a block or in blocks.
  const auto cut = [&](std::uint64_t Operation::* size, std::uint64_t most, std::uint64_t far_bytes,
                       std::uint64_t near_bytes) {
    while (part.*size > most) {
      Operation first = part;
      first.*size = most;
      send(first, false);
      part.offset += far_bytes;
      part.near += near_bytes;
      part.*size -= most;
    }
  };
  if (is_copy && whole.count == 1) {
    cut(&Operation::bytes, kLargest, kLargest, kLargest);
  } else if (is_copy && whole.bytes > 0) {
    const std::uint64_t blocks = std::max<std::uint64_t>(1, kLargest / whole.bytes);
    cut(&Operation::count, blocks, blocks * whole.stride, blocks * whole.near_stride);
  }
  send(part, true);
}

}  // namespace weft::remote
