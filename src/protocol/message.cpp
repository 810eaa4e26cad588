// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/message.hpp"

#include <array>

namespace weft {

const char* message_name(MessageType type) {
  static constexpr std::array kNames = {
      "BarrierArrive", "BarrierDepart", "Publish",   "Update",      "FetchRequest",  "FetchReply",
      "LockRequest",   "LockForward",   "LockGrant", "LockBusy",    "LockTryResult", "Advance",
      "Await",         "AwaitReply",    "AtomicAsk", "AtomicReply", "AtomicRetry",
  };
  const auto index = static_cast<std::size_t>(type);
  return index < kNames.size() ? kNames[index] : "unknown message";
}

MessageHeader read_header(WireReader& wire) {
  MessageHeader header;
  wire(header.type, header.epoch);
  return header;
}

}  // namespace weft
