// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests of transports: messages, and who sleeps until they come.
#pragma once

#include <poll.h>

#include <string_view>

#include "transport/transport.hpp"

namespace weft {

inline NodeId node(std::size_t value) { return NodeId(static_cast<NodeId::representation>(value)); }

inline Bytes text(std::string_view characters) {
  const auto* first = reinterpret_cast<const std::byte*>(characters.data());
  return Bytes(first, first + characters.size());
}

inline Bytes number(std::uint64_t value) {
  Bytes bytes;
  ByteWriter(bytes).u64(value);
  return bytes;
}

inline std::uint64_t number(ByteView bytes) { return ByteReader(bytes).u64(); }

inline MessageSegments one(Bytes segment) {
  MessageSegments segments;
  segments.push_back(std::move(segment));
  return segments;
}

inline const Receiver kIgnore = [](NodeId, ByteView) {};

// After so long a node that should have been woken will not be; a loaded machine is quicker.
inline constexpr int kForEverMs = 120000;

// Sleeps until something may have arrived, as an idle node does. Returns false after the timeout.
[[nodiscard]] inline bool sleep_until_work(Transport& transport, int timeout_ms) {
  if (!transport.arm(ArmedFor::kAll)) return true;
  pollfd descriptor = {transport.event_descriptor(), POLLIN, 0};
  return ::poll(&descriptor, 1, timeout_ms) > 0;
}

}  // namespace weft
