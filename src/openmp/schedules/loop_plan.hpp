// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop's schedule number means: the compilers pack the kind, `ordered`, and the modifiers
// into one integer, and schedule(runtime) refers to a control variable. Pure.
#pragma once

#include <cstdint>

namespace weft::openmp {

enum class LoopKind : std::uint8_t {
  kUnknown,
  kBlocks,         // static without a chunk size
  kChunks,         // static with one
  kRoundedBlocks,  // static for simd
  kDynamic,
  kGuided,
};

// What omp_get_schedule says.
struct RuntimeSchedule {
  std::uint32_t kind = 0;
  std::int32_t chunk = 0;
};

struct LoopPlan {
  LoopKind kind = LoopKind::kUnknown;
  std::uint64_t chunk = 1;
  bool ordered = false;
  bool monotonic = false;  // each thread's chunks must ascend

  [[nodiscard]] bool is_static() const {
    return kind == LoopKind::kBlocks || kind == LoopKind::kChunks ||
           kind == LoopKind::kRoundedBlocks;
  }
};

[[nodiscard]] LoopPlan plan_loop(std::int32_t schedule, std::int64_t chunk,
                                 const RuntimeSchedule& runtime);

}  // namespace weft::openmp
