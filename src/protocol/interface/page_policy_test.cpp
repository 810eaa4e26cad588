// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/interface/page_policy.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

struct Made {
  HomePolicy homes;
  PushPolicy push;
  LockPolicy locks;
  bool carries_all, pushes_for_good, pushes_everywhere, fetches_leaves;
  bool operator==(const Made&) const = default;
};

// From settings that no policy leaves as they are.
Made made_by(PagePolicy policy) {
  EngineConfig config;
  config.home_policy = HomePolicy::kSettle;
  config.push_policy = PushPolicy::kJoin;
  config.lock_policy = LockPolicy::kRmp;
  force(policy, config);
  return {.homes = config.home_policy,
          .push = config.push_policy,
          .locks = config.lock_policy,
          .carries_all = config.carries_all,
          .pushes_for_good = config.pushes_for_good,
          .pushes_everywhere = config.pushes_everywhere,
          .fetches_leaves = config.fetches_leaves};
}

TEST(PagePolicy, IsMadeOfOthers) {
  using enum HomePolicy;
  using enum LockPolicy;
  constexpr PushPolicy kNo = PushPolicy::kOff, kYes = PushPolicy::kWait;
  const auto made = made_by;
  EXPECT_EQ(made(PagePolicy::kAdaptive),
            (Made{kSettle, PushPolicy::kJoin, kRmp, false, false, false, false}));
  EXPECT_EQ(made(PagePolicy::kSingleWriter),
            (Made{kFollow, kNo, kPlain, false, false, false, false}));
  EXPECT_EQ(made(PagePolicy::kMultipleWriter),
            (Made{kStay, kNo, kPlain, false, false, false, false}));
  EXPECT_EQ(made(PagePolicy::kMigratory), (Made{kFollow, kNo, kWeft, true, false, false, false}));
  EXPECT_EQ(made(PagePolicy::kProducerConsumer),
            (Made{kFollow, kYes, kPlain, false, true, false, false}));
  EXPECT_EQ(made(PagePolicy::kReadMostly), (Made{kStay, kNo, kPlain, false, false, false, true}));
  EXPECT_EQ(made(PagePolicy::kWriteShared), (Made{kStay, kYes, kWeft, true, true, true, false}));
}

}  // namespace
}  // namespace weft
