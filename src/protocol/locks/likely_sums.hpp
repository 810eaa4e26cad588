// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sections will add to under a lock that is new, from what they add to under others of its
// array (protocol/locks.md, 26): programs with a lock for each point of a mesh have arrays beside
// it, with the point's values. A guess that is wrong makes sections take locks, and no more.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "protocol/interface/adding_targets.hpp"

namespace weft {

class LikelySums {
 public:
  // A section under the lock adds to these words, in this order.
  void note(LockId lock, const AddingTargets& targets);
  // What the lines through other locks and their words lead to, the line that was met last first.
  [[nodiscard]] AddingTargets of(LockId lock) const;
  // The locks behind this one, at the distance of those that were met: so many at most, up to the
  // last one that was met.
  [[nodiscard]] std::vector<LockId> behind(LockId lock, std::uint32_t most) const;

 private:
  // Locks and words at places that advance together: `rise` bytes of words in `run` of locks.
  struct Line {
    std::uint64_t lock = 0;  // one of them, and its word
    AddingTarget target;
    std::int64_t rise = 0;
    std::int64_t run = 0;  // 0: there is one point
    std::uint32_t points = 1;
    std::uint64_t low = 0;  // the locks met so far, from here
    std::uint64_t high = 0;
    std::uint64_t stride = 0;  // divides the distances between them

    [[nodiscard]] std::optional<AddingTarget> at(std::uint64_t lock) const;
    [[nodiscard]] bool meets(std::uint64_t lock, const AddingTarget& word) const;
    // As far from the locks met so far as these are apart, at most.
    [[nodiscard]] bool is_close(std::uint64_t lock) const;
    void widen(std::uint64_t lock);
  };

  void note(Line& unproven, std::uint64_t lock, const AddingTarget& target);
  [[nodiscard]] bool is_known(std::uint64_t lock, const AddingTarget& target);
  [[nodiscard]] static Line through(const Line& point, std::uint64_t lock,
                                    const AddingTarget& target);

  static constexpr std::size_t kMostPlaces = 4;
  static constexpr std::size_t kMostLines = 8;
  static constexpr std::uint32_t kProof = 3;  // points; any two lie on a line
  std::array<Line, kMostPlaces> unproven_;    // by the sum's place in its section
  std::vector<Line> proven_;
};

}  // namespace weft
