// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/schedules/loop_plan.hpp"

#include <gtest/gtest.h>

#include "openmp/libomp/kmp_abi.hpp"

namespace weft::openmp {
namespace {

constexpr RuntimeSchedule kNone;

TEST(LoopPlan, ReadsWhatTheCompilersPack) {
  // As clang and flang write dynamic, guided and ordered loops.
  LoopPlan plan = plan_loop(1073741859, 3, kNone);
  EXPECT_EQ(plan.kind, LoopKind::kDynamic);
  EXPECT_EQ(plan.chunk, 3U);
  EXPECT_FALSE(plan.monotonic);
  EXPECT_FALSE(plan.ordered);

  plan = plan_loop(536870947, 1, kNone);  // monotonic:dynamic
  EXPECT_EQ(plan.kind, LoopKind::kDynamic);
  EXPECT_TRUE(plan.monotonic);

  plan = plan_loop(36 | kNonmonotonic, 0, kNone);
  EXPECT_EQ(plan.kind, LoopKind::kGuided);
  EXPECT_EQ(plan.chunk, 1U);

  plan = plan_loop(66, 1, kNone);
  EXPECT_EQ(plan.kind, LoopKind::kBlocks);
  EXPECT_TRUE(plan.ordered);
  EXPECT_EQ(plan_loop(65, 2, kNone).kind, LoopKind::kChunks);
}

TEST(LoopPlan, OrderedIsMonotonicWhateverTheModifier) {
  const LoopPlan plan = plan_loop(67 | kNonmonotonic, 1, kNone);
  EXPECT_EQ(plan.kind, LoopKind::kDynamic);
  EXPECT_TRUE(plan.ordered);
  EXPECT_TRUE(plan.monotonic);
}

TEST(LoopPlan, DynamicWithoutAModifierIsMonotonic) {
  EXPECT_TRUE(plan_loop(kDynamicChunked, 1, kNone).monotonic);
}

TEST(LoopPlan, RuntimeFollowsTheControlVariable) {
  const auto at_runtime = [](std::uint32_t kind, int chunk) {
    return plan_loop(kRuntime | kNonmonotonic, 99, RuntimeSchedule{kind, chunk});
  };
  EXPECT_EQ(at_runtime(kScheduleStatic, 0).kind, LoopKind::kBlocks);
  EXPECT_EQ(at_runtime(kScheduleStatic, 4).kind, LoopKind::kChunks);
  EXPECT_EQ(at_runtime(kScheduleStatic, 4).chunk, 4U);
  EXPECT_EQ(at_runtime(kScheduleDynamic, 0).chunk, 1U);
  EXPECT_EQ(at_runtime(kScheduleGuided, 5).kind, LoopKind::kGuided);
  EXPECT_EQ(at_runtime(kScheduleAuto, 0).kind, LoopKind::kBlocks);
  EXPECT_FALSE(at_runtime(kScheduleDynamic, 2).monotonic);
  EXPECT_TRUE(at_runtime(kScheduleDynamic | kScheduleMonotonic, 2).monotonic);
}

TEST(LoopPlan, SimdKeepsWholeVectors) {
  EXPECT_EQ(plan_loop(kRuntimeSimd, 8, RuntimeSchedule{kScheduleStatic, 0}).kind,
            LoopKind::kRoundedBlocks);
  const LoopPlan plan = plan_loop(kRuntimeSimd, 8, RuntimeSchedule{kScheduleGuided, 3});
  EXPECT_EQ(plan.kind, LoopKind::kGuided);
  EXPECT_EQ(plan.chunk, 24U);
}

TEST(LoopPlan, KnowsWhatItDoesNotKnow) {
  EXPECT_EQ(plan_loop(48, 1, kNone).kind, LoopKind::kUnknown);
}

}  // namespace
}  // namespace weft::openmp
