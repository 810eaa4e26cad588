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
  Record* record = nullptr;  // null: it has one, and an older one has not
  Return place;              // of a get, or of the value before an atomic operation
  std::uint64_t bytes = 0;
};

struct Link {
  NodeId to;
  std::deque<Packet> packets;  // not sent; all but the last are full
  std::deque<Asked> asked;
  std::uint64_t first_id = 0;  // of the oldest of them
  std::uint64_t bytes_under_way = 0;
  std::uint64_t packets_under_way = 0;
  bool answers_may_wait = false;  // there, of the last packet under way, which is the only one
  Answered held;                  // of packets from there; goes with the next one
  bool is_hurried = false;        // a thread waits
  bool is_sending = false;        // some thread sends, and goes on until nothing is due
  std::atomic<std::uint32_t> answered{0};
  bool is_awaited = false;

  [[nodiscard]] std::uint64_t next_id() const { return first_id + asked.size(); }
  [[nodiscard]] bool is_due() const {
    return !packets.empty() &&
           (packets_under_way == 0 || answers_may_wait || is_hurried || packets.front().is_full());
  }
  // The first packet, which leaves now.
  [[nodiscard]] Packet take_packet() {
    Packet packet = std::move(packets.front());
    packets.pop_front();
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
};
extern Links* links;  // never destroyed: threads may use it until the process ends

// Packets leave in the order in which they were filled, whoever sends them.
void send_due(Link& link);

}  // namespace weft::remote
