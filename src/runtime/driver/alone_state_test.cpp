// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/driver/alone_state.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "base/compiler_abi.h"

namespace weft {
namespace {

TEST(AloneState, BeginsAndEnds) {
  AloneState state;
  EXPECT_FALSE(state.enter());
  state.begin();
  ASSERT_TRUE(state.enter());
  state.leave();
  state.end();
  EXPECT_FALSE(state.enter());
}

TEST(AloneState, EndsWhenAllHaveLeft) {
  AloneState state;
  state.begin();
  ASSERT_TRUE(state.enter());
  std::atomic<bool> has_ended = false;
  std::thread publisher([&] {
    state.end();
    has_ended = true;
  });
  while (state.enter()) state.leave();  // until the other thread is at it
  EXPECT_FALSE(has_ended);
  state.leave();
  publisher.join();
}

TEST(AloneState, IsAwaitedUntilItBegins) {
  AloneState state;
  ASSERT_TRUE(state.begin_elsewhere());
  state.begin();
  EXPECT_FALSE(state.is_awaited());
  state.await();
  state.begin();
  EXPECT_TRUE(state.is_awaited()) << "The operation is still under way.";
  state.end_elsewhere();
  state.begin();
  EXPECT_FALSE(state.is_awaited());
}

TEST(AloneState, DoesNotBeginWhileAThreadIsAtAVariablesHome) {
  AloneState state;
  ASSERT_TRUE(state.begin_elsewhere());
  state.begin();
  EXPECT_FALSE(state.enter());
  state.end_elsewhere();
  EXPECT_FALSE(state.enter()) << "not before the others rest the next time";
  state.begin();
  EXPECT_FALSE(state.begin_elsewhere());
  EXPECT_TRUE(state.enter());
}

TEST(AloneState, TellsCompiledCodeInARegionAlone) {
  AloneState state;
  state.begin_region(false);
  EXPECT_EQ(__weft_threads_elsewhere, 1) << "not alone";
  state.begin();
  EXPECT_EQ(__weft_threads_elsewhere, 1) << "no region";
  state.begin_region(true);
  EXPECT_EQ(__weft_threads_elsewhere, 1) << "others are here";
  state.begin_region(false);
  EXPECT_EQ(__weft_threads_elsewhere, 0);
  state.admit_others();
  EXPECT_EQ(__weft_threads_elsewhere, 1) << "others have come";
  state.begin_region(false);
  state.end_region();
  EXPECT_EQ(__weft_threads_elsewhere, 1) << "the region has ended";
}

// Whatever threads and handlers come, and libraries with regions inside this node.
TEST(AloneState, TellsCompiledCodeForGood) {
  AloneState state(true);
  EXPECT_EQ(__weft_threads_elsewhere, 1) << "not alone yet";
  state.begin();
  EXPECT_EQ(__weft_threads_elsewhere, 0);
  state.admit_others();
  state.begin_region(true);
  state.end_region();
  EXPECT_EQ(__weft_threads_elsewhere, 0);
  EXPECT_DEATH(state.end(), "alone for good");
}

}  // namespace
}  // namespace weft
