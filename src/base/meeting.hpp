// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the nodes of a job meet at a barrier at which none of them has anything to tell, without a
// message (protocol/empty_barriers.md, 27): one word of memory that all of them share. It says at
// which barrier they are, how many have come with nothing to tell, and whether one has something.
//
// All functions are atomic, and may be called by all nodes at once. Barriers are counted by each
// node, alike, from 1. A node names the one that it has reached, and no later one before it has
// passed that.
#pragma once

#include <atomic>
#include <cstdint>

namespace weft {

enum class Met : std::uint8_t {
  kNotYet,  // some nodes are still to come
  kAll,     // all have come with nothing to tell: the barrier is over
  kNobody,  // some node tells something, or does not wait any longer: messages go
};

class Meeting {
 public:
  // This node has nothing to tell.
  Met come(std::uint64_t barrier, std::uint16_t nodes) {
    std::uint64_t seen = word_.load(std::memory_order_acquire);
    for (;;) {
      const std::uint64_t here = at(barrier, seen);
      if ((here & kTells) != 0) return Met::kNobody;
      if (!word_.compare_exchange_weak(seen, here + 1)) continue;
      return count(here) + 1 == nodes ? Met::kAll : Met::kNotYet;
    }
  }
  // This node has something to tell, by messages.
  void tell(std::uint64_t barrier) {
    std::uint64_t seen = word_.load(std::memory_order_acquire);
    while ((at(barrier, seen) & kTells) == 0 &&
           !word_.compare_exchange_weak(seen, at(barrier, seen) | kTells)) {
    }
  }

  // For a node that has come. Nobody can be farther on unless all have come.
  [[nodiscard]] Met look(std::uint64_t barrier, std::uint16_t nodes) const {
    return met(word_.load(std::memory_order_acquire), barrier, nodes);
  }
  // The same, and it does not wait any longer: never kNotYet.
  Met give_up(std::uint64_t barrier, std::uint16_t nodes) {
    std::uint64_t seen = word_.load(std::memory_order_acquire);
    while (met(seen, barrier, nodes) == Met::kNotYet) {
      if (word_.compare_exchange_weak(seen, seen | kTells)) return Met::kNobody;
    }
    return met(seen, barrier, nodes);
  }

 private:
  // From the top: the barrier's number, kTells, the number of nodes that have come.
  static constexpr unsigned kCountBits = 16;
  static constexpr std::uint64_t kTells = std::uint64_t{1} << kCountBits;

  [[nodiscard]] static std::uint64_t barrier_of(std::uint64_t word) {
    return word >> (kCountBits + 1);
  }
  [[nodiscard]] static std::uint64_t count(std::uint64_t word) { return word & (kTells - 1); }
  // Whoever comes first to a barrier clears away what is left of the one before.
  [[nodiscard]] static std::uint64_t at(std::uint64_t barrier, std::uint64_t word) {
    return barrier_of(word) < barrier ? barrier << (kCountBits + 1) : word;
  }
  [[nodiscard]] static Met met(std::uint64_t word, std::uint64_t barrier, std::uint16_t nodes) {
    if (barrier_of(word) > barrier) return Met::kAll;
    if ((word & kTells) != 0) return Met::kNobody;
    return count(word) == nodes ? Met::kAll : Met::kNotYet;
  }

  std::atomic<std::uint64_t> word_{0};
};
static_assert(sizeof(Meeting) == sizeof(std::uint64_t));

}  // namespace weft
