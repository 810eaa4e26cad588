// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops with ordered(n): which one comes next, and how many iterations they have had.
#pragma once

#include <cstdint>

#include "openmp/schedules/doacross_nest.hpp"

namespace weft::openmp {

struct Member;

// The loop that the calling thread begins has so many iterations, dealt out by turns in chunks, or
// if `chunk` is 0 in blocks. The first loop after the beginning of a nest is the one that is shared
// out.
void note_doacross_schedule(Member& member, std::uint64_t chunk, std::uint64_t trips);

// The calling thread is about to begin that loop.
[[nodiscard]] bool begins_doacross(const Member& member);

// How many iterations all such loops of the job have had before the region that node 0 begins next.
[[nodiscard]] std::uint64_t doacross_iterations_of_job();
void set_doacross_iterations_of_job(std::uint64_t iterations);

}  // namespace weft::openmp
