// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/attributes/main_thread.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "libc/interposition/interpose.hpp"
#include "libc/interposition/io_bounce.hpp"
#include "runtime/interface/job_processors.hpp"

namespace weft::process {
namespace {

pid_t job_number = 0, main_thread = 0;

constexpr int kKernelBits = 22;  // PID_MAX_LIMIT of Linux, on 64 bits
constexpr pid_t kKernelMask = (1 << kKernelBits) - 1;
constexpr int kNice = 20;  // the kernel tells 20 - n for the priority n, so that it is above zero

}  // namespace

void adopt_main_thread(pid_t job, pid_t thread) {
  job_number = job;
  main_thread = thread;
}

pid_t number_of_this_thread() {
  const Node& node = *this_node();
  const pid_t thread = WEFT_REAL(gettid)();
  if (node.is_on_one_host()) return thread == main_thread ? job_number : thread;
  if (node.self() == NodeId(0) && thread == main_thread) return job_number;
  return ((node.self().value() + 1) << kKernelBits) + thread;
}

ThreadMeant thread_meant(pid_t number) {
  const Node& node = *this_node();
  if (node.is_on_one_host()) {
    return {.thread = number == job_number ? main_thread : number, .node = node.self()};
  }
  const auto of = [&node](pid_t thread, NodeId where) {
    return ThreadMeant{.thread = thread, .node = where, .is_here = where == node.self()};
  };
  if (number == job_number) return of(main_thread, NodeId(0));
  const auto nodes_number = static_cast<unsigned>(number >> kKernelBits);
  if (number < 0 || nodes_number == 0 || nodes_number > node.node_count()) {
    return of(number, node.self());
  }
  return of(number & kKernelMask, NodeId(static_cast<std::uint16_t>(nodes_number - 1)));
}

long made_for_thread(Node& node, pid_t number, KernelCall call, int argument) {
  const ThreadMeant meant = thread_meant(number);
  call.arguments[argument] = meant.thread;
  return made_by(node, meant.node, call);
}

// The node of the caller, if the thread that is meant is on another host.
#define WEFT_ASKS_FOR(number) asks_for_thread(WEFT_JOB_OF_CALLER(), number)
// In the child of a fork the number is another process's.
#define WEFT_THREAD_MEANT(number) \
  (WEFT_JOB_OF_CALLER() == nullptr ? (number) : thread_meant(number).thread)

namespace {

Node* asks_for_thread(Node* node, pid_t number) {
  return node != nullptr && !thread_meant(number).is_here ? node : nullptr;
}

}  // namespace

WEFT_ENTRY(pid_t, gettid, void) {
  return WEFT_JOB_OF_CALLER() == nullptr ? WEFT_REAL(gettid)() : number_of_this_thread();
}

// The kernel wants to know the process, too: the thread may be another node's.
WEFT_ENTRY(int, tgkill, pid_t process, pid_t thread, int signal) {
  if (Node* const node = asks_for_process(__builtin_return_address(0), process)) {
    if (thread_meant(thread).node != NodeId(0)) return errno = ESRCH, -1;
    return static_cast<int>(made_for_thread(
        *node, thread, {.number = SYS_tgkill, .arguments = {process, 0, signal}}, 1));
  }
  return WEFT_REAL(tgkill)(process, WEFT_THREAD_MEANT(thread), signal);
}

WEFT_ENTRY(int, sched_getaffinity, pid_t thread, std::size_t bytes, cpu_set_t* out) {
  if (Node* const node = WEFT_ASKS_FOR(thread)) {
    const KernelCall call = {.number = SYS_sched_getaffinity,
                             .arguments = {0, static_cast<long>(bytes)},
                             .place = 2,
                             .memory = out,
                             .bytes = bytes};
    const long filled = made_for_thread(*node, thread, call, 0);
    if (filled < 0) return -1;
    std::memset(reinterpret_cast<char*>(out) + filled, 0, bytes - static_cast<std::size_t>(filled));
    return 0;
  }
  const pid_t meant = WEFT_THREAD_MEANT(thread);
  return libc::call(WEFT_REAL(sched_getaffinity), meant, bytes,
                    libc::Memory<cpu_set_t>{out, bytes});
}
static int set_affinity(pid_t thread, std::size_t bytes, const cpu_set_t* in) {
  if (Node* const node = WEFT_ASKS_FOR(thread)) {
    const KernelCall call = {.number = SYS_sched_setaffinity,
                             .arguments = {0, static_cast<long>(bytes)},
                             .place = 2,
                             .memory = const_cast<cpu_set_t*>(in),
                             .bytes = bytes};
    return static_cast<int>(made_for_thread(*node, thread, call, 0));
  }
  const pid_t meant = WEFT_THREAD_MEANT(thread);
  return libc::call(WEFT_REAL(sched_setaffinity), meant, bytes,
                    libc::Memory<const cpu_set_t>{in, bytes});
}
WEFT_ENTRY(int, sched_setaffinity, pid_t thread, std::size_t bytes, const cpu_set_t* in) {
  const int error = errno;
  const int result = set_affinity(thread, bytes, in);
  if (result == 0 || errno != EINVAL || !has_processors_told(in, bytes)) return result;
  errno = error;
  return 0;
}

WEFT_ENTRY(int, sched_getscheduler, pid_t thread) {
  if (Node* const node = WEFT_ASKS_FOR(thread)) {
    return static_cast<int>(made_for_thread(*node, thread, {.number = SYS_sched_getscheduler}, 0));
  }
  return WEFT_REAL(sched_getscheduler)(WEFT_THREAD_MEANT(thread));
}
WEFT_ENTRY(int, sched_setscheduler, pid_t thread, int policy, const sched_param* in) {
  if (Node* const node = WEFT_ASKS_FOR(thread)) {
    const KernelCall call = {.number = SYS_sched_setscheduler,
                             .arguments = {0, policy},
                             .place = 2,
                             .memory = const_cast<sched_param*>(in),
                             .bytes = sizeof *in};
    return static_cast<int>(made_for_thread(*node, thread, call, 0));
  }
  return libc::call(WEFT_REAL(sched_setscheduler), WEFT_THREAD_MEANT(thread), policy,
                    libc::memory(in));
}
WEFT_ENTRY(int, sched_getparam, pid_t thread, sched_param* out) {
  if (Node* const node = WEFT_ASKS_FOR(thread)) {
    const KernelCall call = {
        .number = SYS_sched_getparam, .place = 1, .memory = out, .bytes = sizeof *out};
    return static_cast<int>(made_for_thread(*node, thread, call, 0));
  }
  return libc::call(WEFT_REAL(sched_getparam), WEFT_THREAD_MEANT(thread), libc::memory(out));
}
WEFT_ENTRY(int, sched_setparam, pid_t thread, const sched_param* in) {
  if (Node* const node = WEFT_ASKS_FOR(thread)) {
    const KernelCall call = {.number = SYS_sched_setparam,
                             .place = 1,
                             .memory = const_cast<sched_param*>(in),
                             .bytes = sizeof *in};
    return static_cast<int>(made_for_thread(*node, thread, call, 0));
  }
  return libc::call(WEFT_REAL(sched_setparam), WEFT_THREAD_MEANT(thread), libc::memory(in));
}
WEFT_ENTRY(int, sched_rr_get_interval, pid_t thread, timespec* out) {
  if (Node* const node = WEFT_ASKS_FOR(thread)) {
    const KernelCall call = {
        .number = SYS_sched_rr_get_interval, .place = 1, .memory = out, .bytes = sizeof *out};
    return static_cast<int>(made_for_thread(*node, thread, call, 0));
  }
  return libc::call(WEFT_REAL(sched_rr_get_interval), WEFT_THREAD_MEANT(thread), libc::memory(out));
}

ThreadMeant priority_meant(int which, pid_t whom) {
  const Node& node = *this_node();
  if (which != PRIO_PGRP) return thread_meant(whom);
  if (node.is_on_one_host()) return {.thread = whom, .node = node.self()};
  return {.thread = whom, .node = NodeId(0), .is_here = node.self() == NodeId(0)};
}

WEFT_ENTRY(int, getpriority, __priority_which which, id_t whom) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr || whom == 0 || which == PRIO_USER)
    return WEFT_REAL(getpriority)(which, whom);
  const ThreadMeant meant = priority_meant(static_cast<int>(which), static_cast<pid_t>(whom));
  if (meant.is_here) return WEFT_REAL(getpriority)(which, static_cast<id_t>(meant.thread));
  const KernelCall call = {.number = SYS_getpriority,
                           .arguments = {static_cast<long>(which), meant.thread}};
  const long told = made_by(*node, meant.node, call);
  if (told < 0) return -1;
  errno = 0;  // it tells a failure from the priority -1
  return kNice - static_cast<int>(told);
}

}  // namespace weft::process
