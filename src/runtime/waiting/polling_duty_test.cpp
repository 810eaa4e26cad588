// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/waiting/polling_duty.hpp"

#include <gtest/gtest.h>
#include <poll.h>

namespace weft {
namespace {

bool is_rung(PollingDuty& duty) {
  pollfd descriptor = {duty.doorbell().descriptor(), POLLIN, 0};
  return poll(&descriptor, 1, 0) == 1;
}

TEST(PollingDuty, IsTakenWhileAThreadDrives) {
  PollingDuty duty;
  EXPECT_FALSE(duty.is_taken());
  {
    const PollingDuty::Driving outer(duty);
    const PollingDuty::Driving inner(duty);
    EXPECT_TRUE(duty.is_taken());
    {
      const PollingDuty::Suspended suspended(duty);
      EXPECT_FALSE(duty.is_taken());
      const PollingDuty::Driving of_handler(duty);
      EXPECT_TRUE(duty.is_taken());
    }
    EXPECT_TRUE(duty.is_taken());
  }
  EXPECT_FALSE(duty.is_taken());
}

TEST(PollingDuty, CountsHowOftenThreadsBeginToDrive) {
  PollingDuty duty;
  EXPECT_EQ(duty.times_begun(), 0);
  for (int i = 0; i < 3; ++i) {
    const PollingDuty::Driving driving(duty);
    EXPECT_EQ(duty.times_begun(), i + 1);
  }
}

TEST(PollingDuty, RousesTheServiceThreadOnlyForSendsThatNeedPolling) {
  PollingDuty duty;
  {
    const PollingDuty::Driving driving(duty);
  }
  EXPECT_FALSE(is_rung(duty));
  duty.note_sends(/*need_polling=*/true);
  EXPECT_TRUE(duty.needs_frequent_looks());
  {
    const PollingDuty::Driving driving(duty);
  }
  EXPECT_TRUE(is_rung(duty));
}

TEST(PollingDuty, AThreadThatGoesToSleepTellsUnlessTheServiceThreadIsArmed) {
  PollingDuty duty;
  duty.set_armed(PollingDuty::Armed::kForAll);
  {
    const PollingDuty::Sleeping sleeping(duty);
    EXPECT_TRUE(duty.needs_frequent_looks());
    EXPECT_FALSE(is_rung(duty));
  }
  EXPECT_FALSE(duty.needs_frequent_looks());
  for (const PollingDuty::Armed each : {PollingDuty::Armed::kNot, PollingDuty::Armed::kForLoud}) {
    duty.set_armed(each);
    const PollingDuty::Sleeping sleeping(duty);
    EXPECT_TRUE(is_rung(duty));
    EXPECT_TRUE(duty.awaits_quiet());
    duty.doorbell().answer();
  }
}

// Of several that drive it is the last.
TEST(PollingDuty, WhoStopsDrivingTellsIfQuietMessagesAreAwaited) {
  for (const PollingDuty::Armed armed :
       {PollingDuty::Armed::kForLoud, PollingDuty::Armed::kForAll}) {
    PollingDuty duty;
    duty.set_armed(armed);
    duty.note_awaits(true);
    {
      const PollingDuty::Driving last(duty);
      {
        const PollingDuty::Driving first(duty);
      }
      EXPECT_FALSE(is_rung(duty));
    }
    EXPECT_EQ(is_rung(duty), armed == PollingDuty::Armed::kForLoud);
    duty.doorbell().answer();
    duty.note_awaits(false);
    {
      const PollingDuty::Driving nobody_waits(duty);
    }
    EXPECT_FALSE(is_rung(duty));
  }
}

TEST(PollingDuty, WhoIsInterruptedTellsIfQuietMessagesAreAwaited) {
  PollingDuty duty;
  const PollingDuty::Driving driving(duty);
  duty.set_armed(PollingDuty::Armed::kForLoud);
  duty.note_awaits(true);
  const PollingDuty::Suspended suspended(duty);
  EXPECT_TRUE(is_rung(duty));
}

}  // namespace
}  // namespace weft
