// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/schedules/loop_plan.hpp"

#include <algorithm>

#include "openmp/libomp/kmp_abi.hpp"

namespace weft::openmp {
namespace {

LoopKind kind_of(std::int32_t schedule) {
  switch (schedule) {
    case kStatic:
    case kStaticGreedy:
    case kStaticBalanced:
      return LoopKind::kBlocks;
    // The choice is ours. Blocks keep each node on its own pages from one loop to the next.
    case kAuto:
      return LoopKind::kBlocks;
    case kStaticChunked:
      return LoopKind::kChunks;
    case kStaticBalancedChunked:
      return LoopKind::kRoundedBlocks;
    case kDynamicChunked:
    case kStaticSteal:
      return LoopKind::kDynamic;
    case kGuidedChunked:
    case kGuidedIterative:
    case kGuidedAnalytical:
    case kGuidedSimd:
    case kTrapezoidal:
      return LoopKind::kGuided;
    default:
      return LoopKind::kUnknown;
  }
}

// schedule(runtime): the kind and chunk of the control variable.
void resolve_runtime(LoopPlan& plan, const RuntimeSchedule& runtime) {
  plan.monotonic = plan.monotonic || (runtime.kind & kScheduleMonotonic) != 0;
  plan.chunk = static_cast<std::uint64_t>(std::max(1, runtime.chunk));
  switch (runtime.kind & ~kScheduleMonotonic) {
    case kScheduleStatic:
      plan.kind = runtime.chunk > 0 ? LoopKind::kChunks : LoopKind::kBlocks;
      break;
    case kScheduleGuided:
      plan.kind = LoopKind::kGuided;
      break;
    case kScheduleAuto:
      plan.kind = LoopKind::kBlocks;
      break;
    default:
      plan.kind = LoopKind::kDynamic;
      break;  // and libomp's own extensions
  }
}

}  // namespace

LoopPlan plan_loop(std::int32_t schedule, std::int64_t chunk, const RuntimeSchedule& runtime) {
  LoopPlan plan;
  // Without a modifier a dynamic loop is monotonic: that is right by every version of OpenMP.
  plan.monotonic = (schedule & kNonmonotonic) == 0;
  schedule &= ~(kMonotonic | kNonmonotonic);
  if (schedule >= kNoMergeLower && schedule < kNoMergeUpper) schedule -= kNoMergeOffset;
  if ((schedule & 64) != 0) {
    plan.ordered = true;
    plan.monotonic = true;
    schedule -= kOrderedOffset;
  }
  if (schedule == kRuntime) {
    resolve_runtime(plan, runtime);
  } else if (schedule == kRuntimeSimd) {
    // `chunk` is the width of the vectors.
    resolve_runtime(plan, runtime);
    if (plan.is_static()) plan.kind = LoopKind::kRoundedBlocks;
    const auto width = static_cast<std::uint64_t>(std::max<std::int64_t>(1, chunk));
    plan.chunk = plan.is_static() ? width : plan.chunk * width;
  } else {
    plan.kind = kind_of(schedule);
    plan.chunk = static_cast<std::uint64_t>(std::max<std::int64_t>(1, chunk));
  }
  // The size of each guided chunk follows from all that is left, which one node alone can know.
  if (plan.kind == LoopKind::kGuided) plan.monotonic = true;
  return plan;
}

}  // namespace weft::openmp
