// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages as bytes: the type, the sender's epoch, the fields in the order that `fields` gives.
#pragma once

#include "base/peers/sender.hpp"
#include "protocol/messages/message.hpp"
#include "protocol/messages/wire.hpp"

namespace weft {

struct MessageHeader {
  MessageType type = MessageType::kBarrierArrive;
  Epoch epoch;
};

// Room for a message that holds many bytes, so that it need not grow as it is written.
template <typename Message>
std::size_t size_hint(const Message&) {
  return 64;
}
[[nodiscard]] std::size_t size_hint(const BarrierArrive& arrival);
[[nodiscard]] std::size_t size_hint(const BarrierPart& part);
[[nodiscard]] std::size_t size_hint(const BarrierDepart& departure);
[[nodiscard]] std::size_t size_hint(const Publish& publication);
[[nodiscard]] std::size_t size_hint(const Push& push);
[[nodiscard]] std::size_t size_hint(const ExchangeRound& round);
[[nodiscard]] std::size_t size_hint(const LockGrant& grant);
[[nodiscard]] std::size_t size_hint(const Update& update);
[[nodiscard]] std::size_t size_hint(const Updates& updates);
[[nodiscard]] std::size_t size_hint(const Release& release);

template <typename Message>
Bytes encode(Epoch epoch, const Message& message) {
  Bytes out;
  out.reserve(size_hint(message));
  WireWriter wire(out);
  wire(Message::kType, epoch);
  Message::fields(message, wire);
  return out;
}

// These end the job where the bytes are not such a message (base/peers/sender.hpp).
// Reads the header and leaves `wire` before the fields.
MessageHeader read_header(WireReader& wire);

template <typename Message>
Message decode(WireReader& wire) {
  const std::size_t bytes = wire.bytes().remaining();
  Message message;
  Message::fields(message, wire);
  if (!wire.finished()) [[unlikely]] {
    fail_unreadable(message_name(Message::kType), bytes);
  }
  return message;
}

}  // namespace weft
