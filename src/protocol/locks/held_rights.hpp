// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rights to add that this node has (protocol/locks.md, 26), as each addition looks one up:
// programs with a lock for each point of a mesh add under thousands of them in turn, and what
// decides lies in one line of the cache, where what is known of a lock is spread over several.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "protocol/interface/adding_targets.hpp"

namespace weft {

class HeldRights {
 public:
  class Right;
  // For sections under the lock that add to these. Its number is never 0 and never that of another
  // right.
  [[nodiscard]] std::uint64_t begin(LockId lock, const AddingTargets& targets);
  // How many sections were done by it.
  std::uint32_t end(std::uint64_t number);
  // Null: there is no such right any more. Good until the next one begins.
  [[nodiscard]] Right* find(std::uint64_t number);

  // A look at all of them: those that were not used since so many looks, if there are some.
  struct Idle {
    LockId lock;
    std::uint32_t looks = 0;
  };
  [[nodiscard]] std::vector<Idle> look();

 private:
  // A power of two of places: each right has one by its number. Numbers whose place is taken are
  // left out.
  [[nodiscard]] std::size_t place_of(std::uint64_t number) const;
  void grow();

  static constexpr std::size_t kFewest = 16;
  std::vector<Right> rights_;
  std::vector<Idle> idle_;  // at the same places
  std::size_t held_ = 0;
  std::uint64_t begun_ = 0;
};

class alignas(64) HeldRights::Right {
 public:
  [[nodiscard]] bool covers(const AtomicRequest& update) const;
  // Whether sections may add to some of these bytes.
  [[nodiscard]] bool overlaps(const AddingInput& input) const;
  // Counts one more section; true if it is the first.
  bool use() {
    is_used_ = true;
    return uses_++ == 0;
  }

 private:
  friend HeldRights;
  static constexpr std::size_t kNear = 5;
  using Far = std::array<std::uint64_t, kMostAddingTargets - kNear>;

  void set_targets(const AddingTargets& targets);
  template <typename Predicate>
  [[nodiscard]] bool any_target(const Predicate& holds) const {
    const std::size_t near = std::min<std::size_t>(count_, kNear);
    return std::ranges::any_of(std::span(near_).first(near), holds) ||
           (count_ > kNear && std::ranges::any_of(std::span(*far_).first(count_ - kNear), holds));
  }

  std::uint64_t number_ = 0;  // 0: free
  std::uint32_t uses_ = 0;
  std::uint16_t count_ = 0;
  bool is_used_ = false;  // since the last look
  // Each target in a word.
  std::array<std::uint64_t, kNear> near_ = {};
  std::unique_ptr<Far> far_;  // where there are more
};

}  // namespace weft
