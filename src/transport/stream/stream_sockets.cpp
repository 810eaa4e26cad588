// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transport/stream/stream_sockets.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "base/assert.hpp"

namespace weft {
namespace {

constexpr int kBacklog = 1024;
// Smaller numbers are the program's (libc/ownership/kept_descriptors.hpp).
constexpr int kFirstDescriptor = 256;

void set(int socket, int level, int option, int value) {
  setsockopt(socket, level, option, &value, sizeof value);
}

Failure failure(const char* what) {
  return Failure{fmt::format("a node cannot {}: {}", what, std::strerror(errno))};
}

// The kernel gives a connection up when the other host has not answered for so long, and asks
// where nothing is sent. That host's kernel answers for nodes that are stopped, or busy.
void limit_silence(int socket, std::chrono::milliseconds limit) {
  constexpr int kNever = std::numeric_limits<int>::max();  // ms: 24 days
  constexpr std::int64_t kLongestSeconds = 32767;          // that the kernel takes
  const bool has_limit = limit.count() > 0;
  const auto limit_ms = static_cast<int>(std::min<std::int64_t>(limit.count(), kNever));
  set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, has_limit ? limit_ms : kNever);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, has_limit ? 1 : 0);
  if (!has_limit) return;
  const auto seconds = [&](int part) {
    return static_cast<int>(
        std::clamp<std::int64_t>(limit.count() / 1000 / part, 1, kLongestSeconds));
  };
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, seconds(2));
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, seconds(5));
}

int new_socket(int family) { return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

}  // namespace

Result<int> listening_socket(const StreamAddress& at) {
  const int made = new_socket(at.family());
  if (made < 0) return failure("make a socket");
  if (bind(made, at.raw(), at.raw_bytes()) == 0 && listen(made, kBacklog) == 0) return made;
  Failure why = failure("listen at the network that reaches the other hosts");
  ::close(made);
  return why;
}

Result<int> calling_socket(const StreamAddress& to, const StreamAddress& from,
                           std::chrono::milliseconds silence_limit) {
  const int made = new_socket(to.family());
  if (made < 0) return failure("make a socket");
  const int called = prepared(made, silence_limit);
  set(called, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1);
  const bool is_bound =
      from.family() != to.family() || bind(called, from.raw(), from.raw_bytes()) == 0;
  if (is_bound && (::connect(called, to.raw(), to.raw_bytes()) == 0 || errno == EINPROGRESS)) {
    return called;
  }
  Failure why = failure("connect");
  ::close(called);
  return why;
}

int prepared(int socket, std::chrono::milliseconds silence_limit) {
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  limit_silence(socket, silence_limit);
  if (socket >= kFirstDescriptor) return socket;
  const int higher = fcntl(socket, F_DUPFD_CLOEXEC, kFirstDescriptor);
  if (higher < 0) return socket;  // few are allowed
  ::close(socket);
  return higher;
}

void watch_descriptor(int epoll, int operation, int descriptor, std::uint32_t events, void* what) {
  epoll_event event = {};
  event.events = events;
  event.data.ptr = what;
  const int done = epoll_ctl(epoll, operation, descriptor, &event);
  WEFT_ASSERT(done == 0, "errno {}", errno);
}

}  // namespace weft
