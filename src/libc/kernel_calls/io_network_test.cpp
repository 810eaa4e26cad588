// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cases of io_test: sockets, pipes, and waiting for them.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "libc/testing/io_test_cases.hpp"

namespace {

// A pipe with one byte to read.
struct Pipe {
  Pipe() {
    if (pipe(ends) != 0 || write(ends[1], "x", 1) != 1) abort();
  }
  ~Pipe() {
    close(ends[0]);
    close(ends[1]);
  }
  int ends[2];
};

bool both_open(const int* pair) { return close(pair[0]) == 0 && close(pair[1]) == 0; }

sockaddr* as_address(sockaddr_in* address) { return reinterpret_cast<sockaddr*>(address); }

sockaddr_in loopback(in_port_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = port;
  return address;
}

// A connection over TCP, with every address in the region.
bool connects(TestRegion& r) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
  auto* const any = r.put(loopback(0));
  auto* const bound = r.put(sockaddr_in{});
  auto* const peer = r.put(sockaddr_in{});
  auto* const length = r.put<socklen_t>(sizeof(sockaddr_in));
  auto* const peer_length = r.put<socklen_t>(sizeof(sockaddr_in));
  r.hide();
  if (bind(listener, as_address(any), sizeof *any) != 0 || listen(listener, 5) != 0) return false;
  r.hide();
  if (getsockname(listener, as_address(bound), length) != 0 || bound->sin_port == 0) return false;
  r.hide();
  if (connect(client, as_address(bound), sizeof *bound) != 0) return false;
  r.hide();
  const int server = accept(listener, as_address(peer), peer_length);
  const bool good = server >= 0 && *peer_length == sizeof *peer && peer->sin_port != 0;
  close(server);
  close(client);
  close(listener);
  return good;
}

// A datagram over UDP: the receiver learns who sent it.
bool sends_datagrams(TestRegion& r) {
  const int a = socket(AF_INET, SOCK_DGRAM, 0), b = socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in address = loopback(0);
  socklen_t length = sizeof address;
  if (bind(a, as_address(&address), length) != 0) return false;
  if (getsockname(a, as_address(&address), &length) != 0) return false;
  auto* const to = r.put(address);
  auto* const from = r.put(sockaddr_in{});
  auto* const from_length = r.put<socklen_t>(sizeof(sockaddr_in));
  char* const text = r.put_text("datagram");
  char* const out = static_cast<char*>(r.room(100));
  r.hide();
  bool good = sendto(b, text, 8, 0, as_address(to), sizeof *to) == 8;
  r.hide();
  good = good && recvfrom(a, out, 100, 0, as_address(from), from_length) == 8 &&
         memcmp(out, "datagram", 8) == 0 && from->sin_port != 0 && *from_length == sizeof *from;
  close(a);
  close(b);
  return good;
}

constexpr IoCase kCases[] = {
    {"tcp", connects},
    {"udp", sends_datagrams},
    {"pipe",
     [](TestRegion& r) {
       int* const pair = static_cast<int*>(r.room(8));
       r.hide();
       return pipe(pair) == 0 && both_open(pair) && (r.hide(), pipe2(pair, O_CLOEXEC)) == 0 &&
              both_open(pair);
     }},
    {"socketpair",
     [](TestRegion& r) {
       int* const pair = static_cast<int*>(r.room(8));
       r.hide();
       return socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && both_open(pair);
     }},
    {"socket_options",
     [](TestRegion& r) {
       const int s = socket(AF_INET, SOCK_STREAM, 0);
       auto* const value = r.put(1);
       auto* const length = r.put<socklen_t>(sizeof(int));
       r.hide();
       bool good = setsockopt(s, SOL_SOCKET, SO_REUSEADDR, value, sizeof(int)) == 0;
       *value = 0;
       r.hide();
       good = good && getsockopt(s, SOL_SOCKET, SO_REUSEADDR, value, length) == 0 && *value == 1;
       close(s);
       return good;
     }},
    {"poll",
     [](TestRegion& r) {
       const Pipe p;
       auto* const fds = r.put(pollfd{p.ends[0], POLLIN, 0});
       r.hide();
       return poll(fds, 1, -1) == 1 && fds->revents == POLLIN;
     }},
    {"ppoll",
     [](TestRegion& r) {
       const Pipe p;
       auto* const fds = r.put(pollfd{p.ends[0], POLLIN, 0});
       auto* const timeout = r.put(timespec{1, 0});
       r.hide();
       return ppoll(fds, 1, timeout, nullptr) == 1 && fds->revents == POLLIN;
     }},
    {"select",
     [](TestRegion& r) {
       const Pipe p;
       auto* const set = r.put(fd_set{});
       auto* const timeout = r.put(timeval{1, 0});
       FD_SET(p.ends[0], set);
       FD_SET(p.ends[1], set);
       auto* const out = r.put(*set);
       r.hide();
       return select(p.ends[1] + 1, set, out, nullptr, timeout) == 2 && FD_ISSET(p.ends[0], set) &&
              !FD_ISSET(p.ends[1], set) && FD_ISSET(p.ends[1], out);
     }},
    {"epoll",
     [](TestRegion& r) {
       const Pipe p;
       const int e = epoll_create1(0);
       epoll_event wanted{};
       wanted.events = EPOLLIN;
       wanted.data.u64 = 77;
       auto* const event = r.put(wanted);
       auto* const events = static_cast<epoll_event*>(r.room(10 * sizeof(epoll_event)));
       r.hide();
       const bool good = epoll_ctl(e, EPOLL_CTL_ADD, p.ends[0], event) == 0 &&
                         epoll_wait(e, events, 10, 1000) == 1 && events[0].data.u64 == 77;
       close(e);
       return good;
     }},
    {"ioctl",
     [](TestRegion& r) {
       const Pipe p;
       auto* const count = r.put(0);
       r.hide();
       return ioctl(p.ends[0], FIONREAD, count) == 0 && *count == 1;
     }},
    {"fcntl",
     [](TestRegion& r) {
       FILE* const stream = tmpfile();
       auto* const lock = r.put(
           flock{.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 10, .l_pid = 0});
       r.hide();
       const bool good = fcntl(fileno(stream), F_GETLK, lock) == 0 && lock->l_type == F_UNLCK;
       fclose(stream);
       return good;
     }},
    {"gethostname",
     [](TestRegion& r) {
       char* const out = static_cast<char*>(r.room(100));
       char expected[100];
       r.hide();
       return gethostname(expected, 100) == 0 && gethostname(out, 100) == 0 &&
              strcmp(out, expected) == 0;
     },
     IoCase::kWorks},
};

}  // namespace

std::span<const IoCase> network_cases() { return kCases; }
