// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the nodes of a job meet without a message if none of them has anything to tell
// (protocol/empty_barriers.md, 27; protocol/empty_regions.md, 34): memory that all of them share.
//
//   two words of barriers    number, votes, whether one tells and has waited, how many have come;
//                            in turn
//   a word of publications   number, whether one sleeps, whether it is shown
//   the publication's bytes
//   for each of a few nodes, what it brings to a barrier, with the barrier's number
//
// Each function on a word is one atomic step; all may be called by all nodes at once. Barriers are
// counted by each node, alike, from 1. A node names the one that it has reached, and no later one
// before it has passed that. So when one is at barrier n + 2, all have passed n, and the word of n
// is free.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"

namespace weft {

enum class Met : std::uint8_t {
  kNotYet,  // some nodes are still to come
  kAll,     // all have come with nothing to tell: the barrier is over
  kNobody,  // some node tells something, or does not wait any longer: messages go
};

enum class Shown : std::uint8_t {
  kNotYet,
  kHere,       // the publication is shown
  kByMessage,  // some node sleeps: it will be sent
};

class Meeting {
 public:
  // The most that a node brings, for so many nodes; and that is published.
  static constexpr std::size_t kMostBrought = 256, kMostPublished = 1024;
  static constexpr std::uint16_t kMostBringing = 8;

  // --- barriers ---
  // What this node brings. Before it comes; whoever has seen it there may read it.
  void bring(std::uint64_t barrier, std::uint16_t node, ByteView bytes) {
    Brought& slot = brought_[node];
    slot.barrier = barrier;
    slot.size = bytes.size();
    std::ranges::copy(bytes, slot.bytes.begin());
  }
  // Nothing, if it has brought nothing to this one.
  [[nodiscard]] ByteView brought(std::uint64_t barrier, std::uint16_t node) const {
    const Brought& slot = brought_[node];
    if (slot.barrier != barrier) return {};
    return ByteView(slot.bytes).first(std::min<std::size_t>(slot.size, kMostBrought));
  }
  // This node has nothing to tell, but votes.
  Met come(std::uint64_t barrier, std::uint16_t nodes, std::uint8_t votes = 0) {
    Word& word = word_of(barrier);
    std::uint64_t seen = word.load(std::memory_order_acquire);
    for (;;) {
      const std::uint64_t here = at(barrier, seen);
      if ((here & kTells) != 0) return Met::kNobody;
      const std::uint64_t with_this = (here | std::uint64_t{votes} << kVotesShift) + 1;
      if (!word.compare_exchange_weak(seen, with_this)) continue;
      return count(with_this) == nodes ? Met::kAll : Met::kNotYet;
    }
  }
  // This node has something to tell, by messages.
  void tell(std::uint64_t barrier) {
    Word& word = word_of(barrier);
    std::uint64_t seen = word.load(std::memory_order_acquire);
    while ((at(barrier, seen) & kTells) == 0 &&
           !word.compare_exchange_weak(seen, at(barrier, seen) | kTells)) {
    }
  }
  // Whether so many have come.
  [[nodiscard]] Met look(std::uint64_t barrier, std::uint16_t nodes) const {
    return met(at(barrier, word_of(barrier).load(std::memory_order_acquire)), nodes);
  }
  // The same, and this node does not wait any longer: never kNotYet.
  Met give_up(std::uint64_t barrier, std::uint16_t nodes) {
    Word& word = word_of(barrier);
    std::uint64_t seen = word.load(std::memory_order_acquire);
    while (met(at(barrier, seen), nodes) == Met::kNotYet) {
      const std::uint64_t next = at(barrier, seen) | kTells | kGivenUp;
      if (word.compare_exchange_weak(seen, next)) return Met::kNobody;
    }
    return met(at(barrier, seen), nodes);
  }
  // A node has waited for others in vain. All find the same, once all have arrived by messages.
  [[nodiscard]] bool was_given_up(std::uint64_t barrier) const {
    return (at(barrier, word_of(barrier).load(std::memory_order_acquire)) & kGivenUp) != 0;
  }
  // Of all nodes, once all have come.
  [[nodiscard]] std::uint8_t votes(std::uint64_t barrier) const {
    const std::uint64_t word = at(barrier, word_of(barrier).load(std::memory_order_acquire));
    return static_cast<std::uint8_t>(word >> kVotesShift);
  }

  // --- publications ---
  // Behind a barrier at which all have come. False: some node sleeps, and nothing is shown.
  [[nodiscard]] bool publish(std::uint64_t barrier, ByteView payload) {
    publication_.size = payload.size();
    std::ranges::copy(payload, publication_.bytes.begin());
    return mark_publication(barrier, kIsShown) != Shown::kByMessage;
  }
  [[nodiscard]] Shown look_for_publication(std::uint64_t barrier) const {
    return shown(publication_at(barrier, publication_.line.word.load(std::memory_order_acquire)));
  }
  // This node does not look any longer: never kNotYet.
  Shown stop_looking(std::uint64_t barrier) { return mark_publication(barrier, kSleeps); }
  // The one that is shown, until this node comes to the next barrier.
  [[nodiscard]] ByteView published() const {
    return ByteView(publication_.bytes)
        .first(std::min<std::size_t>(publication_.size, kMostPublished));
  }

 private:
  using Word = std::atomic<std::uint64_t>;
  static_assert(Word::is_always_lock_free);

  // A cache line of its own.
  struct Line {
    Word word{0};
    std::array<std::byte, 56> nothing{};
  };
  struct Published {
    Line line;
    std::uint64_t size = 0;
    std::array<std::byte, kMostPublished> bytes{};
    std::array<std::byte, 56> nothing{};
  };
  struct Brought {
    std::uint64_t barrier = 0, size = 0;
    std::array<std::byte, kMostBrought> bytes{};
    std::array<std::byte, 48> nothing{};
  };

  // A barrier's word, from the top: its number, the votes, kGivenUp, kTells, how many nodes have
  // come.
  static constexpr unsigned kTellsShift = 12, kVotesShift = 14, kBarrierShift = 22;
  static constexpr std::uint64_t kTells = std::uint64_t{1} << kTellsShift, kGivenUp = 2 * kTells;
  // A publication's: the number of the barrier before it, and these two, of which only the first
  // to come is set.
  static constexpr std::uint64_t kSleeps = 1, kIsShown = 2;
  static constexpr unsigned kPublicationShift = 2;

  [[nodiscard]] Word& word_of(std::uint64_t barrier) { return barriers_[barrier % 2].word; }
  [[nodiscard]] const Word& word_of(std::uint64_t barrier) const {
    return barriers_[barrier % 2].word;
  }
  [[nodiscard]] static std::uint64_t count(std::uint64_t word) { return word & (kTells - 1); }
  // Whoever comes first to a barrier clears away what is left of an earlier one.
  [[nodiscard]] static std::uint64_t at(std::uint64_t barrier, std::uint64_t word) {
    return word >> kBarrierShift == barrier ? word : barrier << kBarrierShift;
  }
  [[nodiscard]] static Met met(std::uint64_t word, std::uint16_t nodes) {
    if ((word & kTells) != 0) return Met::kNobody;
    return count(word) == nodes ? Met::kAll : Met::kNotYet;
  }

  [[nodiscard]] static std::uint64_t publication_at(std::uint64_t barrier, std::uint64_t word) {
    return word >> kPublicationShift == barrier ? word : barrier << kPublicationShift;
  }
  [[nodiscard]] static Shown shown(std::uint64_t word) {
    if ((word & kIsShown) != 0) return Shown::kHere;
    return (word & kSleeps) != 0 ? Shown::kByMessage : Shown::kNotYet;
  }
  Shown mark_publication(std::uint64_t barrier, std::uint64_t mark) {
    Word& word = publication_.line.word;
    std::uint64_t seen = word.load(std::memory_order_acquire);
    while (shown(publication_at(barrier, seen)) == Shown::kNotYet) {
      const std::uint64_t next = publication_at(barrier, seen) | mark;
      if (word.compare_exchange_weak(seen, next)) return shown(next);
    }
    return shown(publication_at(barrier, seen));
  }

  std::array<Line, 2> barriers_;
  Published publication_;
  std::array<Brought, kMostBringing> brought_;
};
static_assert(sizeof(Meeting) % 64 == 0);

}  // namespace weft
