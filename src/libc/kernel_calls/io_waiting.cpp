// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// poll and select. Descriptors of other nodes, of which standard input is one on all nodes but the
// first, are asked about there, again and again: nobody sends word when something arrives.
#include <poll.h>
#include <signal.h>
#include <sys/select.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "libc/interposition/io_bulk.hpp"
#include "libc/ownership/owned_files.hpp"
#include "libc/streams/forwarding.hpp"
#include "stacks/stacks.hpp"

extern "C" {
[[noreturn]] void __chk_fail();
}

namespace weft::libc {
namespace {

constexpr std::int64_t kForEver = -1;
constexpr std::int64_t kMillisecond = 1'000'000, kSecond = 1'000'000'000;
constexpr std::int64_t kBetweenQuestions = 2 * kMillisecond;

std::int64_t now() {
  timespec time = {};
  WEFT_REAL(clock_gettime)(CLOCK_MONOTONIC, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

std::int64_t nanoseconds(const timespec* time) {
  return time == nullptr ? kForEver : time->tv_sec * kSecond + time->tv_nsec;
}

bool are_several() { return hooks() != nullptr && hooks()->node_count > 1; }

bool any_elsewhere(const pollfd* fds, nfds_t count) {
  return are_several() && std::any_of(fds, fds + count, [](const pollfd& each) {
           return each.fd >= 0 && other_owner(each.fd).has_value();
         });
}

int count_found(const std::vector<pollfd>& all) {
  return static_cast<int>(
      std::count_if(all.begin(), all.end(), [](const pollfd& each) { return each.revents != 0; }));
}

// Those of other nodes; the others are left to the kernel.
void ask_owners(std::vector<pollfd>& all, std::vector<pollfd>& here) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto owner = all[i].fd < 0 ? std::nullopt : other_owner(all[i].fd);
    if (!owner) continue;
    here[i].fd = -1;
    all[i].revents = static_cast<short>(
        ask(*owner, FileOperation::kPoll, number_of(all[i].fd), all[i].events).result);
  }
}

// `timeout` in nanoseconds. On the runtime stack; the descriptors in private memory.
int wait_for_any(std::vector<pollfd>& all, std::int64_t timeout) {
  const std::int64_t until = timeout < 0 ? INT64_MAX : now() + timeout;
  std::vector<pollfd> here = all;
  for (;;) {
    ask_owners(all, here);
    const bool has_found = count_found(all) > 0;
    const std::int64_t left = std::max(until - now(), std::int64_t{0});
    const timespec pause = {0, has_found ? 0 : std::min(left, kBetweenQuestions)};
    if (WEFT_REAL(ppoll)(here.data(), here.size(), &pause, nullptr) < 0) return -1;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (here[i].fd >= 0) all[i].revents = here[i].revents;
    }
    if (const int found = count_found(all); found > 0 || left == 0) return found;
  }
}

// With the signals blocked that the caller asks for.
template <typename Wait>
int with_mask(const sigset_t* mask, Wait wait) {
  if (mask == nullptr) return wait();
  sigset_t copy = *mask, before;
  pthread_sigmask(SIG_SETMASK, &copy, &before);
  const int result = wait();
  const int call_errno = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = call_errno;
  return result;
}

int poll_of_job(pollfd* fds, nfds_t count, std::int64_t timeout, const sigset_t* mask) {
  return on_runtime_stack([=] {
    std::vector<pollfd> all(fds, fds + count);
    for (pollfd& each : all) each.revents = 0;
    const int found = with_mask(mask, [&] { return wait_for_any(all, timeout); });
    if (found >= 0) std::copy(all.begin(), all.end(), fds);
    return found;
  });
}

struct Sets {
  fd_set *in, *out, *except;
};

bool has(int fd, const fd_set* set) { return set != nullptr && FD_ISSET(fd, set); }

std::vector<pollfd> wanted_of(int count, const Sets& sets) {
  std::vector<pollfd> all;
  for (int fd = 0; fd < count; ++fd) {
    const int events = (has(fd, sets.in) ? POLLIN : 0) | (has(fd, sets.out) ? POLLOUT : 0) |
                       (has(fd, sets.except) ? POLLPRI : 0);
    if (events != 0) all.push_back({fd, static_cast<short>(events), 0});
  }
  return all;
}

// What select leaves in a set: how many.
int leave(const std::vector<pollfd>& all, fd_set* set, int wanted, int found) {
  int left = 0;
  for (const pollfd& each : all) {
    if ((each.events & wanted) == 0) continue;
    const bool is_there = (each.revents & found) != 0;
    if (!is_there) FD_CLR(each.fd, set);
    left += is_there ? 1 : 0;
  }
  return left;
}

// Nothing: no descriptor is another node's.
std::optional<int> select_of_job(int count, const Sets& sets, std::int64_t timeout,
                                 const sigset_t* mask) {
  if (!are_several()) return std::nullopt;
  return on_runtime_stack([&]() -> std::optional<int> {
    std::vector<pollfd> all = wanted_of(count, sets);
    if (!any_elsewhere(all.data(), all.size())) return std::nullopt;
    if (with_mask(mask, [&] { return wait_for_any(all, timeout); }) < 0) return -1;
    for (const pollfd& each : all) {
      if ((each.revents & POLLNVAL) != 0) return errno = EBADF, -1;
    }
    return leave(all, sets.in, POLLIN, POLLIN | POLLHUP | POLLERR) +
           leave(all, sets.out, POLLOUT, POLLOUT | POLLERR) +
           leave(all, sets.except, POLLPRI, POLLPRI);
  });
}

}  // namespace

WEFT_ENTRY(int, poll, pollfd* fds, nfds_t count, int timeout) {
  if (any_elsewhere(fds, count)) {
    return poll_of_job(fds, count, timeout < 0 ? kForEver : timeout * kMillisecond, nullptr);
  }
  return call(WEFT_REAL(poll), memory(fds, count), count, timeout);
}
WEFT_ENTRY(int, __poll_chk, pollfd* fds, nfds_t count, int timeout, std::size_t capacity) {
  if (capacity / sizeof *fds < count) __chk_fail();
  return weft_entry_poll(fds, count, timeout);
}
WEFT_ENTRY(int, ppoll, pollfd* fds, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  if (any_elsewhere(fds, count)) return poll_of_job(fds, count, nanoseconds(timeout), mask);
  return call(WEFT_REAL(ppoll), memory(fds, count), count, memory(timeout), memory(mask));
}
WEFT_ENTRY(int, __ppoll_chk, pollfd* fds, nfds_t count, const timespec* timeout,
           const sigset_t* mask, std::size_t capacity) {
  if (capacity / sizeof *fds < count) __chk_fail();
  return weft_entry_ppoll(fds, count, timeout, mask);
}

// A set may be shorter or longer than an fd_set: the kernel sees `count` bits in whole words.
#define WEFT_SET(set) \
  Memory<fd_set>{set, (static_cast<std::size_t>(count < 0 ? 0 : count) + 63) / 64 * 8}
// Linux leaves in the timeout what was not waited for.
WEFT_ENTRY(int, select, int count, fd_set* in, fd_set* out, fd_set* except, timeval* timeout) {
  const std::int64_t wanted =
      timeout == nullptr ? kForEver : timeout->tv_sec * kSecond + timeout->tv_usec * 1000;
  const std::int64_t begin = now();
  if (const auto found = select_of_job(count, {in, out, except}, wanted, nullptr)) {
    const std::int64_t left = std::max(begin + wanted - now(), std::int64_t{0});
    if (timeout != nullptr) *timeout = {left / kSecond, left % kSecond / 1000};
    return *found;
  }
  return call(WEFT_REAL(select), count, WEFT_SET(in), WEFT_SET(out), WEFT_SET(except),
              memory(timeout));
}
WEFT_ENTRY(int, pselect, int count, fd_set* in, fd_set* out, fd_set* except,
           const timespec* timeout, const sigset_t* mask) {
  if (const auto found = select_of_job(count, {in, out, except}, nanoseconds(timeout), mask)) {
    return *found;
  }
  return call(WEFT_REAL(pselect), count, WEFT_SET(in), WEFT_SET(out), WEFT_SET(except),
              memory(timeout), memory(mask));
}

}  // namespace weft::libc
