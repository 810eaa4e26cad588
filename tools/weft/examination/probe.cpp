// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/examination/probe.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <vector>

namespace weft {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kPings = 200;
constexpr std::size_t kPingBytes = 8;
constexpr std::size_t kChunkBytes = std::size_t{256} << 10;
constexpr auto kStreaming = std::chrono::milliseconds(100);
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
constexpr int kConnectMs = 3000;
constexpr int kSilenceSeconds = 10;

class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  ~Socket() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  [[nodiscard]] int get() const { return descriptor_; }

  // Neither end waits for ever, and small messages go at once.
  void prepare() const {
    const timeval limit = {kSilenceSeconds, 0};
    setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    const int yes = 1;
    setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  }
  [[nodiscard]] bool send_all(const char* bytes, std::size_t count) const {
    while (count > 0) {
      const ssize_t sent = send(descriptor_, bytes, count, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return false;
      bytes += sent;
      count -= static_cast<std::size_t>(sent);
    }
    return true;
  }
  [[nodiscard]] bool receive_all(char* bytes, std::size_t count) const {
    while (count > 0) {
      const ssize_t received = recv(descriptor_, bytes, count, 0);
      if (received < 0 && errno == EINTR) continue;
      if (received <= 0) return false;
      bytes += received;
      count -= static_cast<std::size_t>(received);
    }
    return true;
  }

 private:
  int descriptor_;
};

using Address = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

Address resolve(const std::string& address, std::uint16_t port) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) {
    found = nullptr;
  }
  return {found, freeaddrinfo};
}

// Until the peer has no more to send; returns how much came.
std::uint64_t swallow(const Socket& peer) {
  std::vector<char> buffer(kChunkBytes);
  std::uint64_t total = 0;
  ssize_t count = 0;
  while ((count = recv(peer.get(), buffer.data(), buffer.size(), 0)) > 0) {
    total += static_cast<std::uint64_t>(count);
  }
  return total;
}

void serve_one(const Socket& peer, const std::string& token) {
  peer.prepare();
  std::string shown(token.size(), '\0');
  if (!peer.receive_all(shown.data(), shown.size()) || shown != token) return;
  std::array<char, kPingBytes> ping = {};
  for (unsigned each = 0; each < kPings; ++each) {
    if (!peer.receive_all(ping.data(), ping.size())) return;
    if (!peer.send_all(ping.data(), ping.size())) return;
  }
  const std::uint64_t total = swallow(peer);
  std::array<char, sizeof total> answer = {};
  std::memcpy(answer.data(), &total, sizeof total);
  (void)peer.send_all(answer.data(), answer.size());
}

// Empty if it is connected.
std::string connect_within_limit(const Socket& socket, const addrinfo& to) {
  fcntl(socket.get(), F_SETFL, O_NONBLOCK);
  if (connect(socket.get(), to.ai_addr, to.ai_addrlen) != 0 && errno != EINPROGRESS) {
    return std::strerror(errno);
  }
  pollfd ready = {socket.get(), POLLOUT, 0};
  if (poll(&ready, 1, kConnectMs) != 1) {
    return fmt::format("no answer within {} s", kConnectMs / 1000);
  }
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  fcntl(socket.get(), F_SETFL, 0);
  return error == 0 ? "" : std::strerror(error);
}

// The median of many.
bool measure_round_trip(const Socket& socket, ProbeResult& result) {
  std::vector<std::uint64_t> times;
  std::array<char, kPingBytes> ping = {};
  for (unsigned each = 0; each < kPings; ++each) {
    const auto begin = Clock::now();
    if (!socket.send_all(ping.data(), ping.size())) return false;
    if (!socket.receive_all(ping.data(), ping.size())) return false;
    times.push_back(static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count()));
  }
  std::ranges::nth_element(times, times.begin() + kPings / 2);
  result.round_trip_ns = times[kPings / 2];
  return true;
}

bool measure_bandwidth(const Socket& socket, ProbeResult& result) {
  const std::vector<char> chunk(kChunkBytes);
  const auto begin = Clock::now();
  std::uint64_t sent = 0;
  while (sent < kMostBytes && Clock::now() - begin < kStreaming) {
    if (!socket.send_all(chunk.data(), chunk.size())) return false;
    sent += chunk.size();
  }
  shutdown(socket.get(), SHUT_WR);
  std::array<char, sizeof sent> answer = {};
  if (!socket.receive_all(answer.data(), answer.size())) return false;
  std::uint64_t arrived = 0;
  std::memcpy(&arrived, answer.data(), sizeof arrived);
  const std::chrono::duration<double> took = Clock::now() - begin;
  result.bytes_per_second = static_cast<std::uint64_t>(static_cast<double>(sent) / took.count());
  return arrived == sent;
}

}  // namespace

ProbeServer::~ProbeServer() {
  ends_ = true;
  if (listening_ >= 0) shutdown(listening_, SHUT_RDWR);
  if (thread_.joinable()) thread_.join();
  if (listening_ >= 0) close(listening_);
}

Result<std::uint16_t> ProbeServer::listen(const std::string& address, const std::string& token) {
  const Address where = resolve(address, 0);
  if (listening_ >= 0 || !where || token.empty()) return Failure{"cannot listen at " + address};
  listening_ = socket(where->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_storage own = {};
  socklen_t size = sizeof own;
  if (listening_ < 0 || bind(listening_, where->ai_addr, where->ai_addrlen) != 0 ||
      ::listen(listening_, SOMAXCONN) != 0 ||
      getsockname(listening_, reinterpret_cast<sockaddr*>(&own), &size) != 0) {
    return Failure{fmt::format("cannot listen at {}: {}", address, std::strerror(errno))};
  }
  token_ = token;
  thread_ = std::thread([this] { serve(); });
  const in_port_t port = own.ss_family == AF_INET6
                             ? reinterpret_cast<const sockaddr_in6&>(own).sin6_port
                             : reinterpret_cast<const sockaddr_in&>(own).sin_port;
  return ntohs(port);
}

void ProbeServer::serve() {
  while (!ends_) {
    const Socket peer(accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC));
    if (peer.get() >= 0) serve_one(peer, token_);
    if (peer.get() < 0 && errno != EINTR && errno != ECONNABORTED) return;
  }
}

ProbeResult probe(const ProbeTarget& target) {
  ProbeResult result;
  const Address where = resolve(target.address, target.port);
  if (!where) {
    result.error = fmt::format("{} is no address", target.address);
    return result;
  }
  const Socket connection(socket(where->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  result.error =
      connection.get() < 0 ? std::strerror(errno) : connect_within_limit(connection, *where);
  if (!result.error.empty()) return result;
  connection.prepare();
  if (!connection.send_all(target.token.data(), target.token.size()) ||
      !measure_round_trip(connection, result) || !measure_bandwidth(connection, result)) {
    result.error = "the connection broke while it was tried";
  }
  return result;
}

}  // namespace weft
