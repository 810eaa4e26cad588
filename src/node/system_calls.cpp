// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// System calls that the program makes by syscall(): those that would see this node alone where the
// C library's functions see the job, and those to which the kernel would not find the program's
// memory, are what the functions are. Numbers of processes and threads are those that the functions
// tell. The rest is the kernel's, and so is all that Weft itself asks for.
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "libc/interposition/interpose.hpp"
#include "libc/interposition/io_bounce.hpp"
#include "node/memory_barriers.hpp"
#include "node/system_call.hpp"
#include "process/attributes/main_thread.hpp"
#include "process/requests/calls.hpp"
#include "process/requests/kernel_call.hpp"
#include "process/requests/refusal.hpp"
#include "process/requests/system_code.hpp"
#include "pthread/synchronisation/futexes.hpp"
#include "runtime/job/job.hpp"
#include "stacks/stacks.hpp"

extern "C" {
void* __wrap_mmap(void*, std::size_t, int, int, int, off_t);
int __wrap_munmap(void*, std::size_t);
void* __wrap_mremap(void*, std::size_t, std::size_t, int, void*);
int __wrap_mprotect(void*, std::size_t, int);
int __wrap_madvise(void*, std::size_t, int);
int __wrap_msync(void*, std::size_t, int);
}

namespace weft {
namespace {

long result_of(void* address) { return reinterpret_cast<long>(address); }

// A call that is about a thread: which argument is the thread's number, and which the address of
// memory.
struct OfThread {
  int thread = -1, place = -1;  // -1: none is
  std::size_t bytes = 0;
};

OfThread of_thread(const SystemCall& call) {
  switch (call.number) {
    case SYS_tkill:
    case SYS_sched_getscheduler:
      return {.thread = 0};
    case SYS_sched_setaffinity:
    case SYS_sched_getaffinity:
      return {.thread = 0, .place = 2, .bytes = bytes(call.b)};
    case SYS_sched_setscheduler:
      return {.thread = 0, .place = 2, .bytes = sizeof(sched_param)};
    case SYS_sched_setparam:
    case SYS_sched_getparam:
      return {.thread = 0, .place = 1, .bytes = sizeof(sched_param)};
    case SYS_sched_setattr:  // its first number is its size
      return {.thread = 0, .place = 1, .bytes = *pointer<const std::uint32_t>(call.b)};
    case SYS_sched_getattr:
      return {.thread = 0, .place = 1, .bytes = bytes(call.c)};
    case SYS_ioprio_set:
    case SYS_ioprio_get:
      return {.thread = 1};
    default:
      return {};
  }
}

// The kernel's number of a thread in place of the program's; or, with the result, by the kernel of
// the thread's host.
bool name_thread(SystemCall& call, const OfThread& about, long& result) {
  if (about.thread < 0) return false;
  long* const arguments[] = {&call.a, &call.b, &call.c};
  const auto meant = process::thread_meant(number(*arguments[about.thread]));
  *arguments[about.thread] = meant.thread;
  if (meant.is_here) return false;
  void* const memory = about.place < 0 ? nullptr : pointer(*arguments[about.place]);
  result = process::made_by(*this_node(), meant.node,
                            {.number = call.number,
                             .arguments = {call.a, call.b, call.c},
                             .place = about.place,
                             .memory = memory,
                             .bytes = about.bytes});
  return true;
}

long made_by_kernel(const SystemCall& call) {
  using Syscall = long (*)(long, long, long, long, long, long, long);
  const auto& [which, a, b, c, d, e, f] = call;
  return WEFT_REAL_AS(Syscall, syscall)(which, a, b, c, d, e, f);
}

// Of a call about a thread the kernel may not find the page of the memory.
long made_here(const SystemCall& call, const OfThread& about) {
  if (about.place < 0) return made_by_kernel(call);
  const auto make = [&](void* memory) {
    SystemCall bounced = call;
    (about.place == 1 ? bounced.b : bounced.c) = result_of(memory);
    return made_by_kernel(bounced);
  };
  void* const memory = pointer(about.place == 1 ? call.b : call.c);
  return libc::call(
      +[](decltype(&make) how, void* place) { return (*how)(place); }, &make,
      libc::memory(memory, about.bytes));
}

// Calls that look into a process, which the kernel of another host does not have. Which of their
// arguments name one.
void refuse_looking_into(const SystemCall& call, const void* caller) {
  const auto refuse = [caller](long process, const char* name) {
    process::refuse_elsewhere(caller, process, name);
  };
  switch (call.number) {
    case SYS_pidfd_open:
      return refuse(call.a, "SYS_pidfd_open, of its own process");
    case SYS_process_vm_readv:
    case SYS_process_vm_writev:
      return refuse(call.a, "SYS_process_vm_readv or _writev, of its own process");
    case SYS_move_pages:
    case SYS_migrate_pages:
      return refuse(call.a, "SYS_move_pages or SYS_migrate_pages, of its own process");
    case SYS_get_robust_list:
      return refuse(call.a, "SYS_get_robust_list, of its own process");
    case SYS_rt_tgsigqueueinfo:
      return refuse(call.a, "SYS_rt_tgsigqueueinfo, of its own process");
    case SYS_kcmp:
      refuse(call.a, "SYS_kcmp, of its own process");
      return refuse(call.b, "SYS_kcmp, of its own process");
    case SYS_perf_event_open:
      return refuse(call.b, "SYS_perf_event_open, of its own process");
    case SYS_ptrace:
      return refuse(call.b, "SYS_ptrace, of its own process");
    default:
      return;
  }
}

// The kernel tells 20 - n for the priority n.
bool perform_priority(const SystemCall& call, long& result) {
  const auto which = static_cast<__priority_which>(call.a);
  const auto whom = static_cast<id_t>(call.b);
  if (call.number == SYS_setpriority)
    return result = ::setpriority(which, whom, number(call.c)), true;
  errno = 0;
  result = ::getpriority(which, whom);
  if (errno == 0) result = 20 - result;
  return true;
}

// A thread that gives up rights gives up Weft's, too: threads that it makes could reach no node
// that they have not reached yet. For Landlock programs have another way, or go on without; a
// filter of system calls is refused as prctl's is. A child of a fork may have both.
bool perform_on_sandbox(const SystemCall& call, const void* caller, long& result) {
  const bool sets_filter = call.number == SYS_seccomp &&
                           (call.a == SECCOMP_SET_MODE_STRICT || call.a == SECCOMP_SET_MODE_FILTER);
  if (!sets_filter && call.number != SYS_landlock_create_ruleset) return false;
  Node* const node = process::job_of_caller(caller);
  if (node == nullptr || !process::is_process_of_node()) return false;
  if (sets_filter) process::refuse(*node, "SYS_seccomp");
  errno = EOPNOTSUPP;
  result = -1;
  return true;
}

// What names a process: as the functions do.
bool perform_on_process(const SystemCall& call, long& result) {
  const auto& [which, a, b, c, d, e, f] = call;
  switch (which) {
    case SYS_kill:
      return result = ::kill(number(a), number(b)), true;
    case SYS_tgkill:
      return result = ::tgkill(number(a), number(b), number(c)), true;
    case SYS_rt_sigqueueinfo: {
      auto* const node = process::asks_for_process(nullptr, a);
      if (node == nullptr) return false;
      const process::KernelCall there = {.number = which,
                                         .arguments = {a, b},
                                         .place = 2,
                                         .memory = pointer(c),
                                         .bytes = sizeof(siginfo_t)};
      return result = process::made_by(*node, NodeId(0), there), true;
    }
    case SYS_prlimit64:
      return result = ::prlimit64(number(a), static_cast<__rlimit_resource>(b),
                                  static_cast<const rlimit64*>(pointer(c)),
                                  static_cast<rlimit64*>(pointer(d))),
             true;
    case SYS_setpriority:
    case SYS_getpriority:
      return perform_priority(call, result);
    case SYS_getpgid:
      return result = ::getpgid(number(a)), true;
    case SYS_getpgrp:
      return result = ::getpgrp(), true;
    case SYS_getsid:
      return result = ::getsid(number(a)), true;
    case SYS_setpgid:
      return result = ::setpgid(number(a), number(b)), true;
    case SYS_getpid:
      return result = ::getpid(), true;
    case SYS_getppid:
      return result = ::getppid(), true;
    case SYS_gettid:
      return result = ::gettid(), true;
    default:
      return false;
  }
}

// False: the kernel's.
bool perform(const SystemCall& call, long& result) {
  const auto& [which, a, b, c, d, e, f] = call;
  switch (which) {
    case SYS_futex:
      return result = pthread::futex({.word = pointer(a),
                                      .operation = number(b),
                                      .value = static_cast<std::uint32_t>(c),
                                      .detail = d,
                                      .second = pointer(e),
                                      .third = static_cast<std::uint32_t>(f)}),
             true;
    case SYS_futex_waitv:
      return pthread::refuses_several_futexes(result);
    case SYS_membarrier:
      return membarrier_of_job(number(a), result);
    case SYS_mmap:
      return result =
                 result_of(__wrap_mmap(pointer(a), bytes(b), number(c), number(d), number(e), f)),
             true;
    case SYS_munmap:
      return result = __wrap_munmap(pointer(a), bytes(b)), true;
    case SYS_mremap:
      return result =
                 result_of(__wrap_mremap(pointer(a), bytes(b), bytes(c), number(d), pointer(e))),
             true;
    case SYS_mprotect:
      return result = __wrap_mprotect(pointer(a), bytes(b), number(c)), true;
    case SYS_madvise:
      return result = __wrap_madvise(pointer(a), bytes(b), number(c)), true;
    case SYS_msync:
      return result = __wrap_msync(pointer(a), bytes(b), number(c)), true;
    // The kernel would read and write behind the program's back: go past the memory of mapped
    // files, and find pages of its buffers gone. Programs have another way for kernels without it.
    case SYS_io_uring_setup:
    case SYS_io_setup:
      errno = ENOSYS;
      return result = -1, true;
    case SYS_exit_group:
      ::_exit(number(a));
    case SYS_close:
      return result = ::close(number(a)), true;
    case SYS_close_range:
      return result = ::close_range(static_cast<unsigned>(a), static_cast<unsigned>(b), number(c)),
             true;
    case SYS_dup:
      return result = ::dup(number(a)), true;
    case SYS_dup2:
      return result = ::dup2(number(a), number(b)), true;
    case SYS_dup3:
      return result = ::dup3(number(a), number(b), number(c)), true;
    case SYS_fcntl:
      return result = ::fcntl(number(a), number(b), pointer(c)), true;
    default:
      return perform_on_process(call, result);
  }
}

}  // namespace

// All arguments are taken, whatever the call has; the C library's does the same.
WEFT_ENTRY(long, syscall, long which, long a, long b, long c, long d, long e, long f) {
  SystemCall call{.number = which, .a = a, .b = b, .c = c, .d = d, .e = e, .f = f};
  long result = 0;
  const bool is_program = this_node() != nullptr && is_on_program_stack() &&
                          !process::is_system_code(__builtin_return_address(0));
  if (!is_program) return made_by_kernel(call);
  if (perform(call, result) || call_function(call, result)) return result;
  if (perform_on_sandbox(call, __builtin_return_address(0), result)) return result;
  const OfThread about = of_thread(call);
  if (name_thread(call, about, result)) return result;
  refuse_looking_into(call, __builtin_return_address(0));
  return made_here(call, about);
}

}  // namespace weft
