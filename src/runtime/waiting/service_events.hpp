// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the service thread sleeps on: the doorbell, a timer, the transport, page faults and the
// launcher's link. Of the service thread alone, but for set_timer().
#pragma once

#include <cstdint>

namespace weft {

class ServiceEvents {
 public:
  // Each of them may be -1: it does not exist. None is owned.
  struct Descriptors {
    int doorbell = -1, transport = -1, faults = -1, launcher = -1;
  };
  struct Happened {
    bool doorbell = false, timer = false, launcher = false;
  };

  void watch(const Descriptors& descriptors);

  // Lets the timer expire once. Under the driver's lock.
  void set_timer(std::int64_t from_now_ns);
  // Whether it has, since the last call.
  [[nodiscard]] bool timer_expired() const;

  // Blocks until something happens, the transport's events included, or for a second.
  [[nodiscard]] Happened sleep();
  // The same without the transport's events, and for no longer than so many nanoseconds.
  [[nodiscard]] Happened sleep_without_transport(std::int64_t at_most_ns);

 private:
  [[nodiscard]] Happened take(int timeout_ms);

  Descriptors descriptors_;
  int epoll_ = -1;
  int timer_ = -1;
};

}  // namespace weft
