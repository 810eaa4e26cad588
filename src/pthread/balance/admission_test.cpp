// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/balance/admission.hpp"

#include <gtest/gtest.h>

namespace weft::pthread {
namespace {

constexpr BalanceMessage kProcessor{.what = BalanceMessage::kForProcessor};
constexpr BalanceMessage kDataFromThree{.what = BalanceMessage::kForData, .load = 3};

TEST(Admission, ForAProcessorNeedsAnIdleOne) {
  EXPECT_TRUE(may_come(kProcessor, {.threads = 0, .processors = 1}));
  EXPECT_FALSE(may_come(kProcessor, {.threads = 1, .processors = 1}));
  EXPECT_TRUE(may_come(kProcessor, {.threads = 1, .processors = 2}));
  EXPECT_FALSE(may_come(kProcessor, {.threads = 3, .processors = 2}));
}

TEST(Admission, ForDataNeedsANodeThatHasAtMostOneThreadMore) {
  EXPECT_TRUE(may_come(kDataFromThree, {.threads = 4, .processors = 1}));
  EXPECT_FALSE(may_come(kDataFromThree, {.threads = 5, .processors = 8}));
}

TEST(Admission, IsNotWhatOneWantsThatStays) {
  EXPECT_FALSE(may_come({.what = BalanceMessage::kStays}, {.threads = 0, .processors = 1}));
}

TEST(Load, IsTooMuchWithMoreThreadsThanProcessors) {
  EXPECT_FALSE(has_too_many({.threads = 2, .processors = 2}));
  EXPECT_TRUE(has_too_many({.threads = 3, .processors = 2}));
}

// Or it would be sent back at once.
TEST(Load, IsNotTooMuchWhereAThreadHasComeForAProcessor) {
  for (unsigned processors = 1; processors < 5; ++processors) {
    for (unsigned threads = 0; threads < 10; ++threads) {
      if (!may_come(kProcessor, {.threads = threads, .processors = processors})) continue;
      EXPECT_FALSE(has_too_many({.threads = threads + 1, .processors = processors}));
    }
  }
}

}  // namespace
}  // namespace weft::pthread
