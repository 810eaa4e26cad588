// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernel is told of a network's silence.
#include "transport/stream/stream_sockets.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <limits>

namespace weft {
namespace {

using namespace std::chrono_literals;

struct Limits {
  int user_timeout_ms = -1, keeps_alive = -1, idle_s = -1, interval_s = -1;
};

int option(int socket, int level, int name) {
  int value = -1;
  socklen_t bytes = sizeof value;
  EXPECT_EQ(getsockopt(socket, level, name, &value, &bytes), 0);
  return value;
}

Limits limits_of(std::chrono::milliseconds silence) {
  const int made =
      prepared(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), silence);
  const Limits found = {.user_timeout_ms = option(made, IPPROTO_TCP, TCP_USER_TIMEOUT),
                        .keeps_alive = option(made, SOL_SOCKET, SO_KEEPALIVE),
                        .idle_s = option(made, IPPROTO_TCP, TCP_KEEPIDLE),
                        .interval_s = option(made, IPPROTO_TCP, TCP_KEEPINTVL)};
  ::close(made);
  return found;
}

TEST(StreamSocketsTest, AnIdleConnectionIsAskedWithinTheLimit) {
  for (const auto limit : {1s, 2s, 10s, 60s}) {
    const Limits found = limits_of(limit);
    EXPECT_EQ(found.user_timeout_ms, limit / 1ms);
    EXPECT_EQ(found.keeps_alive, 1);
    EXPECT_LE(found.idle_s, std::max<long>(1, limit / 2s));
    EXPECT_LE(found.interval_s, std::max<long>(1, limit / 5s));
    EXPECT_GE(found.interval_s, 1);
  }
}

TEST(StreamSocketsTest, WithoutALimitNoSilenceEndsIt) {
  const Limits found = limits_of(0s);
  EXPECT_EQ(found.user_timeout_ms, std::numeric_limits<int>::max());
  EXPECT_EQ(found.keeps_alive, 0);
}

TEST(StreamSocketsTest, AYearIsALimitThatTheKernelTakes) {
  const Limits found = limits_of(std::chrono::hours(24 * 365));
  EXPECT_EQ(found.user_timeout_ms, std::numeric_limits<int>::max());
  EXPECT_EQ(found.keeps_alive, 1);
  EXPECT_GT(found.idle_s, 3600);
}

}  // namespace
}  // namespace weft
