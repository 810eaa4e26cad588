// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The address space for maps, over all nodes: each maps within its own share (map_space.hpp)
// without a message; what lies in another's is asked of its owner. All calls on the runtime stack.
#pragma once

#include <cstdint>
#include <optional>

#include "base/codec.hpp"
#include "maps/map_space.hpp"
#include "runtime/interface/node.hpp"

namespace weft::maps {

// To the owner of the addresses.
enum class ShareRequest : std::uint8_t { kClaim, kRelease };
struct ShareMessage {
  ShareRequest request = {};
  std::uint32_t epoch = 0;  // the sender's
  AddressRange range;
  WEFT_FIELDS(self.request, self.epoch, self.range.begin, self.range.end)
};

// On each node, once, before the program runs.
void serve_shares(Node& node);

// Of this node's share; zeros. Nothing if there is no room.
[[nodiscard]] std::optional<AddressRange> take(std::size_t bytes, std::size_t alignment);
// Anywhere in the shares: maps these addresses, with the contents that they have.
void claim(AddressRange range);
// Behind a map of this node's share, if nothing is there; zeros.
[[nodiscard]] bool extend(AddressRange range);
void release(AddressRange range);

}  // namespace weft::maps
