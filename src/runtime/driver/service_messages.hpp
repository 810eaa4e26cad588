// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages between drivers that are not the protocol's: their first byte is a kind, above all of
// the protocol's types.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/codec.hpp"
#include "runtime/interface/node.hpp"

namespace weft {

enum class ServiceKind : std::uint8_t { kRequest = 0xf0, kReply, kNotify, kCheck };

// Behind the kind; or all of a post, where `wait` is 0: no answer is wanted.
struct ServiceRequest {
  Service service = {};
  std::uint64_t wait = 0;  // the asker's
  ByteView body;
  WEFT_FIELDS(self.service, self.wait, rest(self.body))
};

struct ServiceReply {
  std::uint64_t wait = 0;
  ByteView body;
  WEFT_FIELDS(self.wait, rest(self.body))
};

template <typename Message>
[[nodiscard]] Bytes service_message(ServiceKind kind, const Message& message) {
  Bytes out;
  out.reserve(16 + message.body.size());
  out.push_back(static_cast<std::byte>(kind));
  WireWriter wire(out);
  wire(message);
  return out;
}

}  // namespace weft
