// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a page has been away from a home that had subscriptions to it (protocol/pushing.md, 14).
// Counted in moves, of which all nodes are told, so the home and its consumers count alike.
#pragma once

#include <cstdint>

namespace weft {

class Absence {
 public:
  // The page has got another home: this one again, or not.
  void note_move(bool is_here) { moves_ = is_here ? 0 : moves_ + 1; }
  explicit operator bool() const { return moves_ > 0; }
  // It goes round among so many that there is no end to what would have to be remembered.
  [[nodiscard]] bool is_long() const { return moves_ > kMost; }

 private:
  static constexpr std::uint8_t kMost = 4;
  std::uint8_t moves_ = 0;
};

}  // namespace weft
