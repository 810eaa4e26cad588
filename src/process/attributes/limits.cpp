// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resource limits are those of each node's process, changed on all nodes alike. Some would strike
// Weft itself, which needs address space and descriptors of its own: they are kept and answered,
// and not enforced.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "base/signal_safe_mutex.hpp"
#include "libc/interposition/io_bounce.hpp"
#include "process/requests/topics.hpp"

namespace weft::process {
namespace {

constexpr int kKept[] = {RLIMIT_AS, RLIMIT_DATA, RLIMIT_NOFILE, RLIMIT_RSS, RLIMIT_STACK};
struct KeptLimit {
  bool is_set = false;
  rlimit64 limit = {};
};
KeptLimit kept_limits[RLIM_NLIMITS];
constinit SignalSafeMutex lock;

bool is_kept(int which) {
  return std::find(std::begin(kKept), std::end(kKept), which) != std::end(kKept);
}

Answer get(const Request& request) {
  const auto which = static_cast<int>(request.a);
  rlimit64 limit = {};
  if (WEFT_REAL(getrlimit64)(static_cast<__rlimit_resource_t>(which), &limit) != 0)
    return {-1, errno};
  const std::lock_guard guard(lock);
  if (kept_limits[which].is_set) limit = kept_limits[which].limit;
  const ByteView bytes = bytes_of(&limit, sizeof limit);
  return {0, 0, {bytes.begin(), bytes.end()}};
}

Answer keep(int which, const rlimit64& wanted) {
  const Answer present = get({.a = which});
  rlimit64 limit = {};
  std::memcpy(&limit, present.bytes.data(), sizeof limit);
  if (wanted.rlim_cur > wanted.rlim_max) return {-1, EINVAL};
  if (wanted.rlim_max > limit.rlim_max && geteuid() != 0) return {-1, EPERM};
  const std::lock_guard guard(lock);
  kept_limits[which] = {true, wanted};
  return {};
}

Answer set(const Request& request) {
  const auto which = static_cast<int>(request.a);
  rlimit64 limit = {};
  std::memcpy(&limit, request.bytes.data(), sizeof limit);
  if (is_kept(which)) return keep(which, limit);
  return answer_of(WEFT_REAL(setrlimit64)(static_cast<__rlimit_resource_t>(which), &limit));
}

int set_everywhere(Node& node, int which, const rlimit64* limit) {
  const ByteView bytes = bytes_of(limit, sizeof *limit);
  return static_cast<int>(
      result_of(everywhere(node, {.call = Call::kSetLimit, .a = which, .bytes = bytes})));
}

int get_here(Node& node, int which, rlimit64* out) {
  const Answer answer = ask_node(node, node.self(), {.call = Call::kGetLimit, .a = which});
  if (answer.error == 0) std::memcpy(out, answer.bytes.data(), sizeof *out);
  return static_cast<int>(result_of(answer));
}

bool is_own(pid_t process) {
  return process == 0 || process == static_cast<pid_t>(::syscall(SYS_getpid)) ||
         process == present_job_pid();
}

}  // namespace

void perform_limits() {
  static_assert(sizeof(rlimit) == sizeof(rlimit64));
  perform(Call::kSetLimit, set);
  perform(Call::kGetLimit, get);
}

WEFT_ENTRY(int, getrlimit64, __rlimit_resource_t which, rlimit64* out) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return libc::call(WEFT_REAL(getrlimit64), which, libc::memory(out));
  return get_here(*node, static_cast<int>(which), out);
}
WEFT_ENTRY(int, getrlimit, __rlimit_resource_t which, rlimit* out) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return libc::call(WEFT_REAL(getrlimit), which, libc::memory(out));
  return get_here(*node, static_cast<int>(which), reinterpret_cast<rlimit64*>(out));
}
WEFT_ENTRY(int, setrlimit64, __rlimit_resource_t which, const rlimit64* limit) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return libc::call(WEFT_REAL(setrlimit64), which, libc::memory(limit));
  return set_everywhere(*node, static_cast<int>(which), limit);
}
WEFT_ENTRY(int, setrlimit, __rlimit_resource_t which, const rlimit* limit) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return libc::call(WEFT_REAL(setrlimit), which, libc::memory(limit));
  return set_everywhere(*node, static_cast<int>(which), reinterpret_cast<const rlimit64*>(limit));
}

namespace {

int limit_of(Node* node, pid_t process, __rlimit_resource which, const rlimit64* limit,
             rlimit64* old) {
  if (node == nullptr || !is_own(process)) {
    return libc::call(WEFT_REAL(prlimit64), process, which, libc::memory(limit), libc::memory(old));
  }
  if (old != nullptr && get_here(*node, static_cast<int>(which), old) != 0) return -1;
  return limit == nullptr ? 0 : set_everywhere(*node, static_cast<int>(which), limit);
}

}  // namespace

WEFT_ENTRY(int, prlimit64, pid_t process, __rlimit_resource which, const rlimit64* limit,
           rlimit64* old) {
  return limit_of(WEFT_JOB_OF_CALLER(), process, which, limit, old);
}
WEFT_ENTRY(int, prlimit, pid_t process, __rlimit_resource which, const rlimit* limit, rlimit* old) {
  return limit_of(WEFT_JOB_OF_CALLER(), process, which, reinterpret_cast<const rlimit64*>(limit),
                  reinterpret_cast<rlimit64*>(old));
}

// To lock all memory would bring all of the shared region, of which most is never used. Pages of
// the program count as resident in any case.
WEFT_ENTRY(int, mlockall, int flags) {
  if (WEFT_JOB_OF_CALLER() == nullptr) return WEFT_REAL(mlockall)(flags);
  const int all = MCL_CURRENT | MCL_FUTURE;
  if ((flags & all) != 0 && (flags & ~(all | MCL_ONFAULT)) == 0) return 0;
  errno = EINVAL;
  return -1;
}
WEFT_ENTRY(int, munlockall, void) {
  return WEFT_JOB_OF_CALLER() == nullptr ? WEFT_REAL(munlockall)() : 0;
}

}  // namespace weft::process
