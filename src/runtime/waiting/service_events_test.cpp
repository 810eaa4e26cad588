// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/waiting/service_events.hpp"

#include <gtest/gtest.h>

#include "runtime/waiting/doorbell.hpp"

namespace weft {
namespace {

TEST(ServiceEvents, NamesWhatHappened) {
  Doorbell doorbell, launcher;
  ServiceEvents events;
  events.watch({.doorbell = doorbell.descriptor(), .launcher = launcher.descriptor()});
  doorbell.ring();
  ServiceEvents::Happened happened = events.sleep();
  EXPECT_TRUE(happened.doorbell);
  EXPECT_FALSE(happened.timer || happened.launcher);
  doorbell.answer();
  launcher.ring();
  happened = events.sleep_without_transport(1'000'000);
  EXPECT_TRUE(happened.launcher);
  EXPECT_FALSE(happened.doorbell);
}

TEST(ServiceEvents, TellsOfTheTransportOnlyWhereItIsWaitedFor) {
  Doorbell transport;  // a descriptor that can be made readable
  ServiceEvents events;
  events.watch({.transport = transport.descriptor()});
  transport.ring();
  const ServiceEvents::Happened happened = events.sleep();  // returns because of it
  EXPECT_FALSE(happened.doorbell || happened.timer || happened.launcher);
}

TEST(ServiceEvents, TheTimerExpiresOnce) {
  ServiceEvents events;
  events.watch({});
  EXPECT_FALSE(events.timer_expired());
  events.set_timer(1);
  while (!events.sleep().timer) {
  }
  EXPECT_TRUE(events.timer_expired());
  EXPECT_FALSE(events.timer_expired());
}

}  // namespace
}  // namespace weft
