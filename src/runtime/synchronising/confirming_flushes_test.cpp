// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/synchronising/confirming_flushes.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr std::int64_t kLongest = ConfirmingFlushes::kLongest;

TEST(ConfirmingFlushes, AskWhereAThreadWaitsByThemAlone) {
  ConfirmingFlushes flushes;
  for (std::int64_t time = 0; time < 10; ++time) EXPECT_EQ(flushes.next(time), FlushKind::kAsks);
}

TEST(ConfirmingFlushes, ConfirmNearAnOperationThatHasSynchronised) {
  ConfirmingFlushes flushes;
  EXPECT_EQ(flushes.next(0), FlushKind::kAsks);
  flushes.note_synchronised();
  for (unsigned count = 0; count < ConfirmingFlushes::kMost; ++count) {
    EXPECT_EQ(flushes.next(1), FlushKind::kConfirms);
  }
  EXPECT_EQ(flushes.next(1), FlushKind::kAsks);
}

TEST(ConfirmingFlushes, AskNowAndThenWhateverTheThreadDoesElse) {
  ConfirmingFlushes flushes;
  flushes.note_synchronised();
  EXPECT_EQ(flushes.next(5), FlushKind::kAsks);  // it has not asked yet
  flushes.note_synchronised();
  EXPECT_EQ(flushes.next(4 + kLongest), FlushKind::kConfirms);
  EXPECT_EQ(flushes.next(5 + kLongest), FlushKind::kAsks);
  EXPECT_EQ(flushes.next(6 + kLongest), FlushKind::kConfirms);
}

}  // namespace
}  // namespace weft
