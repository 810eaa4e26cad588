// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers that name things: nodes, pages, locks, epochs. Each is a type of its own, so that a
// page cannot be passed where a node is meant; all of them mean the same on every node.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace weft {

// An integer with a name. `Tag` only makes instantiations differ.
template <typename Tag, typename Representation>
class Id {
 public:
  using representation = Representation;

  constexpr Id() = default;
  constexpr explicit Id(Representation value) : value_(value) {}

  [[nodiscard]] constexpr Representation value() const { return value_; }
  constexpr auto operator<=>(const Id&) const = default;
  constexpr Id& operator++() {
    ++value_;
    return *this;
  }
  // The id `distance` further on; the caller keeps it in range.
  [[nodiscard]] constexpr Id plus(std::int64_t distance) const {
    return Id(static_cast<Representation>(value_ + distance));
  }

 private:
  Representation value_ = 0;
};

// A node of the job, 0 up to node_count - 1.
using NodeId = Id<struct NodeTag, std::uint16_t>;
// A page of the shared region: global offset / kPageBytes.
using PageIndex = Id<struct PageTag, std::uint64_t>;
// A lock. Program locks are named by their address, Weft's own by small numbers.
using LockId = Id<struct LockTag, std::uint64_t>;
// A counter that only grows, kept at one node, on which others wait (see protocol/engine.hpp).
using SequencerId = Id<struct SequencerTag, std::uint64_t>;
// Counts the barriers and publications that the whole job has passed.
using Epoch = Id<struct EpochTag, std::uint32_t>;
// The n-th interval that a node has closed in the present epoch, from 1; 0 is "none yet".
using IntervalNumber = Id<struct IntervalTag, std::uint64_t>;
// Names a phase, which is a stretch of the program between two barriers, by the place in it that
// begins there, so that a loop's turns have the same; 0: nobody knows.
using PhaseKey = Id<struct PhaseKeyTag, std::uint64_t>;
// Position in the stream of updates from one node to another, from 1; 0 is "none yet".
using UpdateSequence = Id<struct UpdateTag, std::uint64_t>;

inline constexpr std::size_t kPageBytes = 4096;
inline constexpr std::size_t kMaxNodes = 1024;

}  // namespace weft

template <typename Tag, typename Representation>
struct std::hash<weft::Id<Tag, Representation>> {
  std::size_t operator()(const weft::Id<Tag, Representation>& id) const noexcept {
    return std::hash<Representation>{}(id.value());
  }
};
