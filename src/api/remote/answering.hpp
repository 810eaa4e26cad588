// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <utility>

#include "api/remote/links.hpp"
#include "api/remote/messages.hpp"
#include "runtime/interface/node.hpp"

namespace weft::remote {

// What is to go back to one node.
class Answering {
 public:
  // So many bytes of answers go together.
  static constexpr std::uint64_t kFull = std::uint64_t{256} << 10;

  Answering(Node& node, NodeId to) : node_(node), to_(to) {}

  void add(std::uint64_t id, int error, Bytes data) {
    answered_.add({id, 1, static_cast<std::uint8_t>(-error), data.size()});
    append(data_, std::move(data));
    if (data_.size() >= kFull) send();
  }

  [[nodiscard]] bool is_empty() const { return answered_.is_empty(); }
  // With what is held for that node.
  void send() {
    Answered all = take_held_answers(to_);
    all.add(std::exchange(answered_, Answered()));
    node_.notify_bulk(to_, Service::kRemote, to_bytes(PacketKind::kAnswers, all),
                      std::exchange(data_, Bytes()));
  }

  // After the last of a packet; `may_wait`: for the next one that goes there.
  void end_packet(bool may_wait) {
    ++answered_.packets;
    if (may_wait && data_.empty()) {
      hold_answers(to_, std::exchange(answered_, Answered()));
    } else {
      send();
    }
  }

 private:
  Node& node_;
  NodeId to_;
  Answered answered_;
  Bytes data_;
};

}  // namespace weft::remote
