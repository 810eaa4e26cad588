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
  std::uint64_t instance = 0;
  std::vector<Dimension> dimensions;
  std::uint64_t base = 0;  // iterations of all such loops of the job before this one
  bool schedule_known = false;
  bool by_thread = false;   // each thread posts its iterations in ascending order
  std::uint64_t chunk = 0;  // of the static schedule then; 0: one block a thread
};

struct Member;

// The loop that the calling thread begins has this schedule and so many iterations. The first loop
// after the beginning of a nest is the one that is shared out.
void note_doacross_schedule(Member& member, std::int32_t schedule, std::int64_t chunk,
                            std::uint64_t trips);

// How many iterations all such loops of the job have had before the region that node 0 begins next.
[[nodiscard]] std::uint64_t doacross_iterations_of_job();
void set_doacross_iterations_of_job(std::uint64_t iterations);

}  // namespace weft::openmp
