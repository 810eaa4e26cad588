// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/attributes/main_thread.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "libc/interposition/interpose.hpp"
#include "libc/interposition/io_bounce.hpp"
#include "process/requests/calls.hpp"

namespace weft::process {
namespace {

pid_t job_number = 0, main_thread = 0;

}  // namespace

void adopt_main_thread(pid_t job, pid_t thread) {
  job_number = job;
  main_thread = thread;
}

pid_t number_of_this_thread() {
  const pid_t thread = WEFT_REAL(gettid)();
  return thread == main_thread ? job_number : thread;
}

pid_t thread_meant(pid_t number) { return number == job_number ? main_thread : number; }

// In the child of a fork the number is another process's.
#define WEFT_THREAD_MEANT(number) \
  (WEFT_JOB_OF_CALLER() == nullptr ? (number) : thread_meant(number))

WEFT_ENTRY(pid_t, gettid, void) {
  return WEFT_JOB_OF_CALLER() == nullptr ? WEFT_REAL(gettid)() : number_of_this_thread();
}

// The kernel wants to know the process, too: the thread may be another node's.
WEFT_ENTRY(int, tgkill, pid_t process, pid_t thread, int signal) {
  return WEFT_REAL(tgkill)(process, WEFT_THREAD_MEANT(thread), signal);
}

WEFT_ENTRY(int, sched_getaffinity, pid_t thread, std::size_t bytes, cpu_set_t* out) {
  const pid_t meant = WEFT_THREAD_MEANT(thread);
  return libc::call(WEFT_REAL(sched_getaffinity), meant, bytes,
                    libc::Memory<cpu_set_t>{out, bytes});
}
WEFT_ENTRY(int, sched_setaffinity, pid_t thread, std::size_t bytes, const cpu_set_t* in) {
  const pid_t meant = WEFT_THREAD_MEANT(thread);
  return libc::call(WEFT_REAL(sched_setaffinity), meant, bytes,
                    libc::Memory<const cpu_set_t>{in, bytes});
}

WEFT_ENTRY(int, sched_getscheduler, pid_t thread) {
  return WEFT_REAL(sched_getscheduler)(WEFT_THREAD_MEANT(thread));
}
WEFT_ENTRY(int, sched_setscheduler, pid_t thread, int policy, const sched_param* in) {
  return libc::call(WEFT_REAL(sched_setscheduler), WEFT_THREAD_MEANT(thread), policy,
                    libc::memory(in));
}
WEFT_ENTRY(int, sched_getparam, pid_t thread, sched_param* out) {
  return libc::call(WEFT_REAL(sched_getparam), WEFT_THREAD_MEANT(thread), libc::memory(out));
}
WEFT_ENTRY(int, sched_setparam, pid_t thread, const sched_param* in) {
  return libc::call(WEFT_REAL(sched_setparam), WEFT_THREAD_MEANT(thread), libc::memory(in));
}
WEFT_ENTRY(int, sched_rr_get_interval, pid_t thread, timespec* out) {
  return libc::call(WEFT_REAL(sched_rr_get_interval), WEFT_THREAD_MEANT(thread), libc::memory(out));
}

WEFT_ENTRY(int, getpriority, __priority_which which, id_t whom) {
  const bool is_thread = which == PRIO_PROCESS && whom != 0 && WEFT_JOB_OF_CALLER() != nullptr;
  const auto meant = is_thread ? static_cast<id_t>(thread_meant(static_cast<pid_t>(whom))) : whom;
  return WEFT_REAL(getpriority)(which, meant);
}

}  // namespace weft::process
