// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory in which a whole simulated world lies, engines and all, so that it can be saved, put back
// as it was, and compared, though nothing in it was written to be copied.
//
// While an Arena::Use lives, every allocation of the program comes from the arena, which lies at
// one address for good. To save a world is to copy the bytes in use; to restore it, to copy them
// back: all pointers are right again.
//
// A world's fingerprint follows the pointers from its root. Blocks are numbered in the order in
// which they are found, and pointers count as (number, offset). So two worlds that differ in
// nothing but the order of their allocations have the same fingerprint. What is left over in
// memory (erased elements, padding) may make worlds look different that are alike, never the other
// way round, but for 64-bit hashes that collide.
//
// Rejected: fork() (a third of a millisecond for each state, and nothing to compare), replaying
// from the start (longer still), and to write down the state of twenty parts by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::sim::explore {

class Arena {
 public:
  // The bytes in use; may be restored any number of times.
  using Snapshot = std::vector<std::byte>;

  // Begins anew; what was allocated there is gone.
  static void reset();
  [[nodiscard]] static Snapshot save();
  static void restore(const Snapshot& snapshot);
  [[nodiscard]] static std::size_t bytes_used();
  // Of all that can be reached from the block at `root`.
  [[nodiscard]] static std::uint64_t fingerprint(const void* root);

  [[nodiscard]] static bool is_in_use();

  // While it lives, allocations come from the arena; or, nested in one, from elsewhere again.
  class Use {
   public:
    explicit Use(bool on = true);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    bool before_;
  };
};

}  // namespace weft::sim::explore
