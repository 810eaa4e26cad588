// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which iterations of a static loop a thread gets. Exactly libomp's partition (its default, the
// "balanced" one), so that a loop is divided among N nodes of T threads as it is among N*T threads
// of one node: the same sums in the same order. Pure; compared with libomp itself in the test.
#pragma once

#include <cstdint>
#include <type_traits>

namespace weft::openmp {

// A loop from `lower` to `upper`, both included. The same struct comes back as a thread's part:
// the bounds of its first chunk, and the distance from one of its chunks to the next.
template <typename T>
struct StaticLoop {
  using Signed = std::make_signed_t<T>;
  T lower = 0, upper = 0;
  Signed increment = 1;  // not 0
  Signed stride = 0;
  bool last = false;  // the thread executes the sequentially last iteration
};

// `schedule` is kStatic, kStaticChunked or kStaticBalancedChunked, without modifiers (false is
// returned for any other); `chunk` counts iterations. 0 <= thread < threads.
template <typename T>
[[nodiscard]] bool divide_static_loop(StaticLoop<T>& loop, std::int32_t schedule,
                                      std::make_signed_t<T> chunk, std::uint32_t thread,
                                      std::uint32_t threads);

// How many iterations from lower to upper; wraps to 0 for the full range of 64 bits.
template <typename T>
[[nodiscard]] std::make_unsigned_t<T> trip_count(T lower, T upper, std::make_signed_t<T> increment);

}  // namespace weft::openmp
