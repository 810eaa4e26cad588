// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sockets, pipes, and waiting for them.
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "libc/interposition/io_bulk.hpp"
#include "libc/streams/forwarding.hpp"
#include "stacks/stacks.hpp"

extern "C" {
int __gethostname_chk(char*, std::size_t, std::size_t);
}

namespace weft::libc {
namespace {

// An address that the kernel fills in, as much of it as *length says that there is room for.
Memory<sockaddr> address_out(sockaddr* address, const socklen_t* length) {
  return {address, length == nullptr ? 0 : *length};
}

Memory<const sockaddr> address_in(const sockaddr* address, socklen_t length) {
  return {address, length};
}

// One private message around the contents: `transfer(message)` gets the name, the control data and
// one vector in private memory; what it leaves there goes back to `original`.
template <typename Transfer>
ssize_t with_private_message(const Hooks& node, const msghdr& original, void* contents,
                             std::size_t bytes, msghdr& result, Transfer transfer) {
  iovec vector{contents, bytes};
  result = original;
  const Memory<void> name_argument{original.msg_name, original.msg_namelen};
  const Memory<void> control_argument{original.msg_control, original.msg_controllen};
  Bounced<Memory<void>> name(Given<Memory<void>>{node, name_argument});
  Bounced<Memory<void>> control(Given<Memory<void>>{node, control_argument});
  result.msg_name = name.get();
  result.msg_control = control.get();
  result.msg_iov = &vector;
  result.msg_iovlen = 1;
  const ssize_t count = transfer(&result);
  const int call_errno = errno;
  name.copy_back();
  control.copy_back();
  errno = call_errno;
  return count;
}

// True if a count of vectors is one that the kernel takes.
bool checked(const Segments& segments) {
  if (segments.good()) return true;
  errno = EMSGSIZE;
  return false;
}

ssize_t receive_message(const Hooks& node, int fd, msghdr* message, int flags) {
  const msghdr original = *message;
  const Segments segments(original.msg_iov, static_cast<int>(original.msg_iovlen));
  if (!checked(segments)) return -1;
  msghdr result;
  const ssize_t count =
      read_in_pieces(segments, false, [&](void* contents, std::size_t bytes, std::size_t) {
        return with_private_message(node, original, contents, bytes, result,
                                    [=](msghdr* m) { return WEFT_REAL(recvmsg)(fd, m, flags); });
      });
  if (count < 0) return count;
  message->msg_namelen = result.msg_namelen;
  message->msg_controllen = result.msg_controllen;
  message->msg_flags = result.msg_flags;
  return count;
}

ssize_t send_message(const Hooks& node, int fd, const msghdr* message, int flags) {
  msghdr original = *message;
  const Segments segments(original.msg_iov, static_cast<int>(original.msg_iovlen));
  if (!checked(segments)) return -1;
  msghdr unused;
  return write_in_pieces(segments, [&](void* contents, std::size_t bytes, std::size_t at) {
    // Descriptors and the like go with the first piece.
    if (at > 0) original.msg_controllen = 0;
    return with_private_message(node, original, contents, bytes, unused,
                                [=](msghdr* m) { return WEFT_REAL(sendmsg)(fd, m, flags); });
  });
}

}  // namespace

WEFT_ENTRY(ssize_t, recvmsg, int fd, msghdr* message, int flags) {
  const Hooks* const node = io_node();
  if (node == nullptr) return WEFT_REAL(recvmsg)(fd, message, flags);
  return explained(fd,
                   on_runtime_stack([=] { return receive_message(*node, fd, message, flags); }));
}
WEFT_ENTRY(ssize_t, sendmsg, int fd, const msghdr* message, int flags) {
  const Hooks* const node = io_node();
  if (node == nullptr) return WEFT_REAL(sendmsg)(fd, message, flags);
  return explained(fd, on_runtime_stack([=] { return send_message(*node, fd, message, flags); }));
}

WEFT_ENTRY(int, bind, int fd, const sockaddr* address, socklen_t length) {
  return call(WEFT_REAL(bind), fd, address_in(address, length), length);
}
WEFT_ENTRY(int, connect, int fd, const sockaddr* address, socklen_t length) {
  return explained(fd, call(WEFT_REAL(connect), fd, address_in(address, length), length));
}
WEFT_ENTRY(int, accept, int fd, sockaddr* address, socklen_t* length) {
  return explained(fd, call(WEFT_REAL(accept), fd, address_out(address, length), memory(length)));
}
WEFT_ENTRY(int, accept4, int fd, sockaddr* address, socklen_t* length, int flags) {
  return explained(
      fd, call(WEFT_REAL(accept4), fd, address_out(address, length), memory(length), flags));
}
WEFT_ENTRY(int, getsockname, int fd, sockaddr* address, socklen_t* length) {
  return call(WEFT_REAL(getsockname), fd, address_out(address, length), memory(length));
}
WEFT_ENTRY(int, getpeername, int fd, sockaddr* address, socklen_t* length) {
  return call(WEFT_REAL(getpeername), fd, address_out(address, length), memory(length));
}
WEFT_ENTRY(int, getsockopt, int fd, int level, int option, void* value, socklen_t* length) {
  return call(WEFT_REAL(getsockopt), fd, level, option,
              memory(value, length == nullptr ? 0 : *length), memory(length));
}
WEFT_ENTRY(int, setsockopt, int fd, int level, int option, const void* value, socklen_t length) {
  return explained(fd,
                   call(WEFT_REAL(setsockopt), fd, level, option, memory(value, length), length));
}
WEFT_ENTRY(int, socketpair, int domain, int type, int protocol, int* pair) {
  return call(WEFT_REAL(socketpair), domain, type, protocol, memory(pair, 2));
}
WEFT_ENTRY(int, pipe, int* pair) { return call(WEFT_REAL(pipe), memory(pair, 2)); }
WEFT_ENTRY(int, pipe2, int* pair, int flags) {
  return call(WEFT_REAL(pipe2), memory(pair, 2), flags);
}

WEFT_ENTRY(int, gethostname, char* out, std::size_t n) {
  return call(WEFT_REAL(gethostname), memory(out, n), n);
}
WEFT_ENTRY(int, __gethostname_chk, char* out, std::size_t n, std::size_t capacity) {
  return call(WEFT_REAL(__gethostname_chk), memory(out, n), n, capacity);
}

// --- waiting ---

WEFT_ENTRY(int, epoll_ctl, int epoll, int operation, int fd, epoll_event* event) {
  return explained(epoll, call(WEFT_REAL(epoll_ctl), epoll, operation, fd, memory(event)));
}
#define WEFT_EVENTS(events, count) memory(events, static_cast<std::size_t>(count < 0 ? 0 : count))
WEFT_ENTRY(int, epoll_wait, int epoll, epoll_event* events, int count, int timeout) {
  return explained(epoll,
                   call(WEFT_REAL(epoll_wait), epoll, WEFT_EVENTS(events, count), count, timeout));
}
WEFT_ENTRY(int, epoll_pwait, int epoll, epoll_event* events, int count, int timeout,
           const sigset_t* mask) {
  return explained(epoll, call(WEFT_REAL(epoll_pwait), epoll, WEFT_EVENTS(events, count), count,
                               timeout, memory(mask)));
}

}  // namespace weft::libc
