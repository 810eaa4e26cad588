// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who keeps a sequencer follows from its name. Most are spread over the nodes; a *placed* name says
// which node it is:   1 | node (15 bits) | name (48 bits)
#pragma once

#include <cstdint>

#include "base/ids.hpp"

namespace weft {

inline constexpr unsigned kPlacedNameBits = 48;

[[nodiscard]] inline SequencerId placed_sequencer(NodeId keeper, std::uint64_t name) {
  return SequencerId(std::uint64_t{1} << 63 | std::uint64_t{keeper.value()} << kPlacedNameBits |
                     name);
}
[[nodiscard]] inline bool is_placed(SequencerId id) { return id.value() >> 63 != 0; }
[[nodiscard]] inline NodeId place_of(SequencerId id) {
  return NodeId(static_cast<std::uint16_t>(id.value() >> kPlacedNameBits & 0x7fff));
}

}  // namespace weft
