// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that would leave a job's processes in a state in which they are not one process any more.
// They end the job, and say so. The child of a fork may make them.
#include "process/requests/refusal.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/io.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdarg>

#include "libc/interposition/io_bounce.hpp"
#include "process/requests/kernel_call.hpp"
#include "process/requests/queued_signals.hpp"
#include "process/requests/topics.hpp"
#include "stacks/stacks.hpp"

namespace weft::process {

void refuse(Node& node, const char* call) {
  on_runtime_stack([&] {
    node.fail(fmt::format(
        "the program called {}, which cannot be done in a job of several nodes; it works in the "
        "child of a fork, and on one node (docs/reference/process.md lists such calls)",
        call));
  });
  __builtin_unreachable();
}

namespace {

// Null too in the child of a vfork, which has its parent's memory: it may execute another program.
Node* refusing_node(const void* caller) {
  Node* const node = job_of_caller(caller);
  return node != nullptr && is_process_of_node() ? node : nullptr;
}
#define WEFT_REFUSE(call) \
  if (Node* const node = refusing_node(__builtin_return_address(0))) refuse(*node, call)

// The caller's own, or node 0's, which lives on its host.
bool is_own_group(const void* caller, pid_t group) {
  if (group == 0 || group == WEFT_REAL(getpgid)(0)) return true;
  Node* const node = asks_for_process(caller, present_job_pid());
  if (node == nullptr) return group == WEFT_REAL(getpgid)(present_job_pid());
  return group == ask_node(*node, NodeId(0), {.call = Call::kGetGroupOfProcesses}).result;
}

constexpr const char* kExec = "exec, to become another program";

}  // namespace

WEFT_ENTRY(int, unshare, int flags) {
  WEFT_REFUSE("unshare");
  return WEFT_REAL(unshare)(flags);
}
WEFT_ENTRY(int, setns, int descriptor, int type) {
  WEFT_REFUSE("setns");
  return WEFT_REAL(setns)(descriptor, type);
}
WEFT_ENTRY(int, ioperm, unsigned long from, unsigned long count, int on) {
  WEFT_REFUSE("ioperm");
  return WEFT_REAL(ioperm)(from, count, on);
}
WEFT_ENTRY(int, iopl, int level) {
  WEFT_REFUSE("iopl");
  return WEFT_REAL(iopl)(level);
}
WEFT_ENTRY(int, daemon, int keep_directory, int keep_output) {
  WEFT_REFUSE("daemon");
  return WEFT_REAL(daemon)(keep_directory, keep_output);
}
// Of the calling thread alone; threads that it makes later have it, too, but not other nodes'.
WEFT_ENTRY(int, capset, void* header, const void* data) {
  WEFT_REFUSE("capset");
  using Capset = int (*)(void*, const void*);
  return WEFT_REAL_AS(Capset, capset)(header, data);
}
// A group of processes has all nodes of the job in it, and the launcher.
WEFT_ENTRY(int, killpg, pid_t group, int signal) {
  if (signal != 0 && is_own_group(__builtin_return_address(0), group)) {
    WEFT_REFUSE("killpg, of its own group");
  }
  return WEFT_REAL(killpg)(group, signal);
}
WEFT_ENTRY(int, kill, pid_t process, int signal) {
  const void* const caller = __builtin_return_address(0);
  if (signal != 0 && (process == -1 || (process <= 0 && is_own_group(caller, -process)))) {
    WEFT_REFUSE("kill, of its own group or of all processes");
  }
  if (Node* const node = asks_for_process(caller, process)) {
    const KernelCall call = {.number = SYS_kill, .arguments = {process, signal}};
    return static_cast<int>(made_by(*node, NodeId(0), call));
  }
  return WEFT_REAL(kill)(process, signal);
}
int queue_signal(Node* node, pid_t process, int signal, sigval value, int code) {
  siginfo_t info = {};
  info.si_signo = signal;
  info.si_code = code;
  info.si_pid = process;
  info.si_uid = getuid();
  info.si_value = value;
  if (node == nullptr) {
    return on_runtime_stack(
        [&] { return static_cast<int>(::syscall(SYS_rt_sigqueueinfo, process, signal, &info)); });
  }
  const KernelCall call = {.number = SYS_rt_sigqueueinfo,
                           .arguments = {process, signal},
                           .place = 2,
                           .memory = &info,
                           .bytes = sizeof info};
  return static_cast<int>(made_by(*node, NodeId(0), call));
}
WEFT_ENTRY(int, sigqueue, pid_t process, int signal, const sigval value) {
  Node* const node = asks_for_process(__builtin_return_address(0), process);
  return queue_signal(node, process, signal, value, SI_QUEUE);
}
// These look into a process, which takes a kernel that has it.
WEFT_ENTRY(int, pidfd_open, pid_t process, unsigned flags) {
  refuse_elsewhere(__builtin_return_address(0), process, "pidfd_open, of its own process");
  return static_cast<int>(::syscall(SYS_pidfd_open, process, flags));
}
WEFT_ENTRY(ssize_t, process_vm_readv, pid_t process, const iovec* to, unsigned long to_count,
           const iovec* from, unsigned long from_count, unsigned long flags) {
  refuse_elsewhere(__builtin_return_address(0), process, "process_vm_readv, of its own process");
  return WEFT_REAL(process_vm_readv)(process, to, to_count, from, from_count, flags);
}
WEFT_ENTRY(ssize_t, process_vm_writev, pid_t process, const iovec* from, unsigned long from_count,
           const iovec* to, unsigned long to_count, unsigned long flags) {
  refuse_elsewhere(__builtin_return_address(0), process, "process_vm_writev, of its own process");
  return WEFT_REAL(process_vm_writev)(process, from, from_count, to, to_count, flags);
}
// To ask is allowed.
WEFT_ENTRY(int, personality, unsigned long persona) {
  if (persona != 0xffffffff) WEFT_REFUSE("personality");
  return WEFT_REAL(personality)(persona);
}
WEFT_ENTRY(long, ptrace, unsigned request, ...) {
  if (request == PTRACE_TRACEME) WEFT_REFUSE("ptrace(PTRACE_TRACEME)");
  std::va_list list;
  va_start(list, request);
  const auto process = va_arg(list, pid_t);
  void* const address = va_arg(list, void*);
  void* const data = va_arg(list, void*);
  va_end(list);
  refuse_elsewhere(__builtin_return_address(0), process, "ptrace, of its own process");
  return WEFT_REAL(ptrace)(static_cast<__ptrace_request>(request), process, address, data);
}

WEFT_ENTRY(int, execve, const char* path, char* const* arguments, char* const* environment) {
  WEFT_REFUSE(kExec);
  return libc::call(WEFT_REAL(execve), libc::text(path), libc::texts(arguments),
                    libc::texts(environment));
}
WEFT_ENTRY(int, execv, const char* path, char* const* arguments) {
  WEFT_REFUSE(kExec);
  return libc::call(WEFT_REAL(execve), libc::text(path), libc::texts(arguments),
                    libc::texts(environ));
}
WEFT_ENTRY(int, execvpe, const char* file, char* const* arguments, char* const* environment) {
  WEFT_REFUSE(kExec);
  return libc::call(WEFT_REAL(execvpe), libc::text(file), libc::texts(arguments),
                    libc::texts(environment));
}
WEFT_ENTRY(int, execvp, const char* file, char* const* arguments) {
  WEFT_REFUSE(kExec);
  return libc::call(WEFT_REAL(execvpe), libc::text(file), libc::texts(arguments),
                    libc::texts(environ));
}
WEFT_ENTRY(int, fexecve, int file, char* const* arguments, char* const* environment) {
  WEFT_REFUSE(kExec);
  return libc::call(WEFT_REAL(fexecve), file, libc::texts(arguments), libc::texts(environment));
}

}  // namespace weft::process
