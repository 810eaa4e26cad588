// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of an exchange, in which all nodes pass on what all send to all (protocol/exchange.md,
// 31).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "base/codec.hpp"
#include "base/ids.hpp"
#include "protocol/messages/message_type.hpp"

namespace weft {

// What travels in an exchange: final updates, or pushes. An epoch may end with one of each.
enum class ExchangeKind : std::uint8_t { kFinals, kPushes };
inline constexpr std::size_t kExchangeKinds = 2;

// Which kinds there are at the end of an epoch: a bit for each.
using ExchangeKinds = std::uint8_t;
[[nodiscard]] constexpr ExchangeKinds bit_of(ExchangeKind kind) {
  return static_cast<ExchangeKinds>(1U << static_cast<unsigned>(kind));
}

// A message as its sender has made it, for the nodes that it is still to reach.
struct Envelope {
  NodeId from;
  std::vector<NodeId> to;  // ascending; the receiver of the round may be among them
  ByteView message;        // with its header
  WEFT_FIELDS(self.from, self.to, self.message)
};

// All that its sender has for the receiver, or by way of it, in this round.
struct ExchangeRound {
  ExchangeKind kind = ExchangeKind::kFinals;
  std::uint8_t round = 0;
  std::vector<Envelope> envelopes;
  WEFT_MESSAGE(kExchangeRound, self.kind, self.round, self.envelopes)
};

// What the end of an epoch takes without an exchange.
struct Traffic {
  std::uint32_t messages = 0;  // in all, less what its bytes would cost in an exchange
  std::uint32_t most = 0;      // one node's, out or in
  WEFT_FIELDS(self.messages, self.most)

  void add(const Traffic& more) {
    messages += more.messages;
    most = std::max(most, more.most);
  }
  [[nodiscard]] bool is_any() const { return messages > 0 || most > 0; }
};

// When this phase began last.
struct PhaseTraffic {
  PhaseKey phase;
  Traffic finals{}, pushes{};
  WEFT_FIELDS(self.phase, self.finals, self.pushes)

  [[nodiscard]] bool is_any() const { return finals.is_any() || pushes.is_any(); }
};

}  // namespace weft
