// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/waiting/service_events.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>

#include "base/assert.hpp"
#include "base/futex.hpp"

namespace weft {
namespace {

void control(int epoll, int descriptor, int operation, std::uint32_t events) {
  if (descriptor < 0) return;
  epoll_event event = {};
  event.events = events;
  event.data.fd = descriptor;
  WEFT_ASSERT(epoll_ctl(epoll, operation, descriptor, &event) == 0, "errno {}", errno);
}

}  // namespace

void ServiceEvents::watch(const Descriptors& descriptors) {
  descriptors_ = descriptors;
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  WEFT_ASSERT(epoll_ >= 0, "errno {}", errno);
  timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  WEFT_ASSERT(timer_ >= 0, "errno {}", errno);
  control(epoll_, descriptors.doorbell, EPOLL_CTL_ADD, EPOLLIN);
  control(epoll_, timer_, EPOLL_CTL_ADD, EPOLLIN);
  control(epoll_, descriptors.transport, EPOLL_CTL_ADD, 0);
  control(epoll_, descriptors.faults, EPOLL_CTL_ADD, EPOLLIN);
  control(epoll_, descriptors.launcher, EPOLL_CTL_ADD, EPOLLIN);
}

void ServiceEvents::set_timer(std::int64_t from_now_ns) {
  const itimerspec soon = {{}, {0, from_now_ns}};
  WEFT_ASSERT(timerfd_settime(timer_, 0, &soon, nullptr) == 0, "errno {}", errno);
}

bool ServiceEvents::timer_expired() const {
  std::uint64_t expirations = 0;
  return read(timer_, &expirations, sizeof expirations) >= 0;
}

// The transport's descriptor stays readable until it is armed again, so it is waited for once.
ServiceEvents::Happened ServiceEvents::sleep() {
  control(epoll_, descriptors_.transport, EPOLL_CTL_MOD, EPOLLIN | EPOLLONESHOT);
  return take(kLongestSleepSeconds * 1'000);
}

ServiceEvents::Happened ServiceEvents::sleep_without_transport(std::int64_t at_most_ns) {
  const timespec at_most = {0, at_most_ns};
  pollfd any = {epoll_, POLLIN, 0};
  if (ppoll(&any, 1, &at_most, nullptr) <= 0) return {};
  return take(0);
}

ServiceEvents::Happened ServiceEvents::take(int timeout_ms) {
  epoll_event events[8];
  const int count = epoll_wait(epoll_, events, 8, timeout_ms);
  Happened happened;
  for (int i = 0; i < count; ++i) {
    const int descriptor = events[i].data.fd;
    happened.doorbell |= descriptor == descriptors_.doorbell;
    happened.timer |= descriptor == timer_;
    happened.launcher |= descriptor == descriptors_.launcher;
  }
  return happened;
}

}  // namespace weft
