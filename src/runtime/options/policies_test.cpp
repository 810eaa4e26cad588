// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/options/policies.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Policies, AreNamed) {
  NodeOptions options;
  EXPECT_EQ(with_policies({}, options).value().home_policy, HomePolicy::kSettle);
  options.homes = "follow";
  EXPECT_EQ(with_policies({}, options).value().home_policy, HomePolicy::kFollow);
  EXPECT_EQ(with_policies({}, options).value().push_policy, PushPolicy::kWait);
  options.push = "join";
  EXPECT_EQ(with_policies({}, options).value().push_policy, PushPolicy::kJoin);
  options.push = "off";
  EXPECT_EQ(with_policies({}, options).value().push_policy, PushPolicy::kOff);
  EXPECT_EQ(with_policies({}, options).value().lock_policy, LockPolicy::kWeft);
  options.locks = "plain";
  EXPECT_EQ(with_policies({}, options).value().lock_policy, LockPolicy::kPlain);
  EXPECT_EQ(with_policies({}, options).value().atomic_policy, AtomicPolicy::kMerge);
  options.atomics = "each";
  EXPECT_EQ(with_policies({}, options).value().atomic_policy, AtomicPolicy::kEach);
  EXPECT_EQ(with_policies({}, options).value().read_policy, ReadPolicy::kOneSided);
  options.reads = "asked";
  EXPECT_EQ(with_policies({}, options).value().read_policy, ReadPolicy::kAsked);
  EXPECT_TRUE(with_policies({}, options).value().may_meet());
  options.meets = false;
  EXPECT_FALSE(with_policies({}, options).value().may_meet());
  options.homes = "stay";
  EXPECT_EQ(with_policies({}, options).value().home_policy, HomePolicy::kStay);
}

TEST(Policies, EagerReleasesGoWithLocksThatCarryNothing) {
  NodeOptions options;
  EXPECT_EQ(with_policies({}, options).value().release_policy, ReleasePolicy::kLazy);
  options.release = "eager";
  EXPECT_EQ(with_policies({}, options).value().release_policy, ReleasePolicy::kEager);
  EXPECT_EQ(with_policies({}, options).value().lock_policy, LockPolicy::kPlain);
  options.locks = "write-vector";
  EXPECT_EQ(with_policies({}, options).value().lock_policy, LockPolicy::kWriteVector);
  options.locks = "rmp";
  EXPECT_FALSE(with_policies({}, options));
}

TEST(Policies, AKindOfPagesSetsWhatIsNotGivenByItself) {
  NodeOptions options;
  options.pages = "write-shared";
  const EngineConfig shared = with_policies({}, options).value();
  EXPECT_EQ(shared.home_policy, HomePolicy::kStay);
  EXPECT_EQ(shared.push_policy, PushPolicy::kWait);
  EXPECT_EQ(shared.lock_policy, LockPolicy::kWeft);
  EXPECT_TRUE(shared.pushes_everywhere);
  options.pages = "single-writer";
  options.locks = "rmp";
  const EngineConfig single = with_policies({}, options).value();
  EXPECT_EQ(single.home_policy, HomePolicy::kFollow);
  EXPECT_EQ(single.push_policy, PushPolicy::kOff);
  EXPECT_EQ(single.lock_policy, LockPolicy::kRmp);
}

TEST(Policies, NothingIsPushedToNodesOfLimitedMemory) {
  NodeOptions options;
  options.memory = 1 << 30;
  EXPECT_EQ(with_policies({}, options).value().push_policy, PushPolicy::kOff);
}

TEST(Policies, ThereIsOneForEachChoice) {
  for (const OptionInfo& info : option_table()) {
    for (const std::string_view choice : info.choices) {
      NodeOptions options;
      ASSERT_TRUE(set_option(options, info, choice, choice));
      if (options.release == "eager") options.locks = "plain";
      EXPECT_TRUE(with_policies({}, options)) << info.variable << "=" << choice;
    }
  }
}

}  // namespace
}  // namespace weft
