// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop with ordered(n), as one of its threads knows it.
#pragma once

#include <cstdint>
#include <vector>

namespace weft::openmp {

struct DoacrossNest {
  struct Dimension {
    std::int64_t lower, stride;
    std::uint64_t trips;
  };
  std::vector<Dimension> dimensions;
  std::uint64_t base = 0;  // iterations of all such loops of the job before this one
  // What is shared out among the threads: the outermost loops together, whole.
  bool schedule_known = false;
  std::uint64_t shares = 0;     // how many there are
  std::uint64_t per_share = 1;  // iterations of the nest in each
  std::uint64_t chunk = 0;      // dealt out by turns in so many; 0: one block a thread
};

// What a thread has learnt of its waits (doacross_waits.cpp).
struct DoacrossPace {
  std::uint64_t ahead = 0;              // iterations that it asks for beyond the one that it needs
  std::int64_t round_trip = INT64_MAX;  // ns; the shortest wait
};

}  // namespace weft::openmp
