// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares every division of a static loop with the one that libomp itself makes, thread by thread.
#include "openmp/schedules/static_schedule.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <limits>
#include <string>
#include <vector>

#include "openmp/libomp/kmp_abi.hpp"

using namespace weft::openmp;

extern "C" {
std::int32_t __kmpc_global_thread_num(Ident*);
#define WEFT_LIBOMP(suffix, T, Signed)                                                            \
  void __kmpc_for_static_init_##suffix(Ident*, std::int32_t, std::int32_t, std::int32_t*, T*, T*, \
                                       Signed*, Signed, Signed);
WEFT_LIBOMP(4, std::int32_t, std::int32_t)
WEFT_LIBOMP(4u, std::uint32_t, std::int32_t)
WEFT_LIBOMP(8, std::int64_t, std::int64_t)
WEFT_LIBOMP(8u, std::uint64_t, std::int64_t)
}

namespace {

Ident here = {.flags = 2 | 0x200, .text = ";unknown;unknown;0;0;;"};

template <typename T>
void divide_by_libomp(StaticLoop<T>& loop, std::int32_t schedule, std::make_signed_t<T> chunk) {
  std::int32_t last = 0;
  const std::int32_t gtid = __kmpc_global_thread_num(&here);
  const auto divide = [&](auto* init) {
    init(&here, gtid, schedule, &last, &loop.lower, &loop.upper, &loop.stride, loop.increment,
         chunk);
  };
  if constexpr (std::is_same_v<T, std::int32_t>) divide(__kmpc_for_static_init_4);
  if constexpr (std::is_same_v<T, std::uint32_t>) divide(__kmpc_for_static_init_4u);
  if constexpr (std::is_same_v<T, std::int64_t>) divide(__kmpc_for_static_init_8);
  if constexpr (std::is_same_v<T, std::uint64_t>) divide(__kmpc_for_static_init_8u);
  loop.last = last != 0;
}

template <typename T>
struct Case {
  T lower, upper;
  std::make_signed_t<T> increment, chunk;
  std::int32_t schedule;
};

template <typename T>
std::string describe(const Case<T>& c, const StaticLoop<T>& ours, const StaticLoop<T>& theirs) {
  const auto text = [](const StaticLoop<T>& loop) {
    return "[" + std::to_string(loop.lower) + ", " + std::to_string(loop.upper) + "] stride " +
           std::to_string(loop.stride) + (loop.last ? " last" : "");
  };
  return "schedule " + std::to_string(c.schedule) + " chunk " + std::to_string(c.chunk) +
         " loop [" + std::to_string(c.lower) + ", " + std::to_string(c.upper) + "] by " +
         std::to_string(c.increment) + ", thread " + std::to_string(omp_get_thread_num()) + " of " +
         std::to_string(omp_get_num_threads()) + ": ours " + text(ours) + ", libomp's " +
         text(theirs);
}

template <typename T>
std::vector<Case<T>> all_cases() {
  using Limits = std::numeric_limits<T>;
  const T min = Limits::min(), max = Limits::max();
  // Bounds near nothing, near each other, and near the ends of the type.
  std::vector<std::pair<T, T>> bounds;
  for (int from = 0; from < 3; ++from) {
    for (int count = 0; count < 40; ++count) {
      bounds.push_back({static_cast<T>(from), static_cast<T>(from + count - 1)});
      bounds.push_back({static_cast<T>(from + count), static_cast<T>(from + 1)});
    }
  }
  for (const int distance : {0, 1, 2, 7, 100, 1000}) {
    bounds.push_back({static_cast<T>(max - distance), max});
    bounds.push_back({max, static_cast<T>(max - distance)});
    bounds.push_back({min, static_cast<T>(min + distance)});
    bounds.push_back({static_cast<T>(min + distance), min});
  }
  bounds.push_back({static_cast<T>(min + 1), max});
  bounds.push_back({max, static_cast<T>(min + 1)});
  bounds.push_back({static_cast<T>(max / 3), static_cast<T>(max - 5)});

  std::vector<Case<T>> cases;
  for (const auto& [lower, upper] : bounds) {
    for (const int increment : {1, -1, 2, -2, 3, 7, -7, 1000}) {
      if (increment > 0 ? lower > upper : lower < upper) {
        // Loops without iterations: once is enough.
        if (increment != 1 && increment != -1) continue;
      }
      // A loop of one iteration more than its type counts: libomp divides by zero.
      const bool empty = increment > 0 ? lower > upper : lower < upper;
      if (!empty && trip_count<T>(lower, upper, increment) == 0) continue;
      cases.push_back({lower, upper, increment, 1, kStatic});
      for (const int chunk : {-1, 1, 2, 3, 8, 1000}) {
        cases.push_back({lower, upper, increment, chunk, kStaticChunked});
      }
      // libomp's own sum overflows where a loop is as long as its type counts.
      if (trip_count<T>(lower, upper, increment) >
          std::numeric_limits<std::make_unsigned_t<T>>::max() - 64) {
        continue;
      }
      for (const int chunk : {1, 2, 4, 16}) {
        cases.push_back({lower, upper, increment, chunk, kStaticBalancedChunked});
      }
    }
  }
  return cases;
}

template <typename T>
class StaticSchedule : public testing::Test {};
using Types = testing::Types<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(StaticSchedule, Types);

TYPED_TEST(StaticSchedule, IsLibomps) {
  using T = TypeParam;
  const std::vector<Case<T>> cases = all_cases<T>();
  omp_set_dynamic(0);
  for (const int threads : {1, 2, 3, 4, 5, 8, 13, 16}) {
    std::atomic<int> differences{0};
    std::string first_difference;
#pragma omp parallel num_threads(threads)
    {
      for (const Case<T>& c : cases) {
        StaticLoop<T> theirs{c.lower, c.upper, c.increment, 0, false};
        StaticLoop<T> ours = theirs;
        divide_by_libomp(theirs, c.schedule, c.chunk);
        const bool known = divide_static_loop(ours, c.schedule, c.chunk,
                                              static_cast<std::uint32_t>(omp_get_thread_num()),
                                              static_cast<std::uint32_t>(omp_get_num_threads()));
        if (known && ours.lower == theirs.lower && ours.upper == theirs.upper &&
            ours.stride == theirs.stride && ours.last == theirs.last) {
          continue;
        }
        if (differences.fetch_add(1) == 0) first_difference = describe(c, ours, theirs);
      }
    }
    EXPECT_EQ(differences, 0) << first_difference;
  }
}

TEST(StaticScheduleKinds, RefusesUnknownOnes) {
  StaticLoop<std::int32_t> loop{.lower = 0, .upper = 9, .increment = 1};
  EXPECT_FALSE(divide_static_loop(loop, kDynamicChunked, 1, 0, 2));
}

TEST(TripCount, CountsAcrossTheSignedRange) {
  EXPECT_EQ(trip_count<std::int32_t>(-2000000000, 2000000000, 1), 4000000001U);
  EXPECT_EQ(trip_count<std::int32_t>(2000000000, -2000000000, -1000000000), 5U);
  EXPECT_EQ(trip_count<std::uint64_t>(5, 4, 1), 0U);
  EXPECT_EQ(trip_count<std::uint64_t>(4, 5, -1), 0U);
  EXPECT_EQ(trip_count<std::int64_t>(10, 1, -4), 3U);
}

}  // namespace
