// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes, signals, time and limits: small structures that the kernel reads or fills in.
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <vector>

#include "libc/interposition/io_bounce.hpp"
#include "libc/kernel_calls/clock.hpp"
#include "libc/ownership/mapped_files.hpp"
#include "libc/ownership/owned_files.hpp"
#include "libc/processes/shell.hpp"
#include "libc/streams/forwarding.hpp"
#include "stacks/stacks.hpp"

extern "C" int __getgroups_chk(int, gid_t*, std::size_t);

namespace weft::libc {
namespace {

// The arguments of execl and its like, from the list up to the null pointer that ends it.
std::vector<char*> collect(const char* first, std::va_list list) {
  std::vector<char*> collected;
  for (const char* each = first; each != nullptr; each = va_arg(list, const char*)) {
    collected.push_back(const_cast<char*>(each));
  }
  collected.push_back(nullptr);
  return collected;
}

// Another program may look at files that this one has mapped.
void note_child() {
  if (const MappedFiles* const mapped = mapped_files()) mapped->before_child();
}

}  // namespace

// --- other programs ---

WEFT_STANDBY_ENTRY(int, execve, const char* path, char* const* argv, char* const* environment) {
  return call(WEFT_REAL(execve), text(path), texts(argv), texts(environment));
}
WEFT_STANDBY_ENTRY(int, execv, const char* path, char* const* argv) {
  return call(WEFT_REAL(execve), text(path), texts(argv), texts(environ));
}
WEFT_STANDBY_ENTRY(int, execvpe, const char* file, char* const* argv, char* const* environment) {
  return call(WEFT_REAL(execvpe), text(file), texts(argv), texts(environment));
}
WEFT_STANDBY_ENTRY(int, execvp, const char* file, char* const* argv) {
  return call(WEFT_REAL(execvpe), text(file), texts(argv), texts(environ));
}
WEFT_STANDBY_ENTRY(int, fexecve, int fd, char* const* argv, char* const* environment) {
  return call(WEFT_REAL(fexecve), fd, texts(argv), texts(environment));
}
WEFT_ENTRY(int, execl, const char* path, const char* first, ...) {
  std::va_list list;
  va_start(list, first);
  const std::vector<char*> argv = collect(first, list);
  va_end(list);
  return weft_entry_execv(path, argv.data());
}
WEFT_ENTRY(int, execlp, const char* file, const char* first, ...) {
  std::va_list list;
  va_start(list, first);
  const std::vector<char*> argv = collect(first, list);
  va_end(list);
  return weft_entry_execvp(file, argv.data());
}
WEFT_ENTRY(int, execle, const char* path, const char* first, ...) {
  std::va_list list;
  va_start(list, first);
  const std::vector<char*> argv = collect(first, list);
  char* const* const environment = va_arg(list, char* const*);
  va_end(list);
  return weft_entry_execve(path, argv.data(), environment);
}
WEFT_ENTRY(int, posix_spawn, pid_t* pid, const char* path,
           const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes,
           char* const* argv, char* const* environment) {
  note_child();
  return call(WEFT_REAL(posix_spawn), memory(pid), text(path), memory(actions), memory(attributes),
              texts(argv), texts(environment));
}
WEFT_ENTRY(int, posix_spawnp, pid_t* pid, const char* file,
           const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes,
           char* const* argv, char* const* environment) {
  note_child();
  return call(WEFT_REAL(posix_spawnp), memory(pid), text(file), memory(actions), memory(attributes),
              texts(argv), texts(environment));
}
WEFT_ENTRY(int, system, const char* command) {
  note_child();
  if (hooks() == nullptr) return WEFT_REAL(system)(command);
  if (command == nullptr) return run_shell(nullptr);
  return on_runtime_stack([&] { return call(run_shell, text(command)); });
}
WEFT_ENTRY(FILE*, popen, const char* command, const char* mode) {
  note_child();
  if (hooks() == nullptr) return WEFT_REAL(popen)(command, mode);
  return on_runtime_stack([&] { return call(open_shell, text(command), text(mode)); });
}
WEFT_ENTRY(int, pclose, FILE* stream) {
  if (const auto owner = other_owner(stream)) {
    return static_cast<int>(
        ask_for_number(*owner, FileOperation::kCloseProcess, number_of(stream)));
  }
  if (hooks() == nullptr) return WEFT_REAL(pclose)(stream);
  return on_runtime_stack([&] { return close_shell(stream); });
}

WEFT_STANDBY_ENTRY(pid_t, wait, int* status) { return call(WEFT_REAL(wait), memory(status)); }
WEFT_STANDBY_ENTRY(pid_t, waitpid, pid_t pid, int* status, int options) {
  return call(WEFT_REAL(waitpid), pid, memory(status), options);
}
WEFT_STANDBY_ENTRY(pid_t, wait3, int* status, int options, rusage* usage) {
  return call(WEFT_REAL(wait3), memory(status), options, memory(usage));
}
WEFT_STANDBY_ENTRY(pid_t, wait4, pid_t pid, int* status, int options, rusage* usage) {
  return call(WEFT_REAL(wait4), pid, memory(status), options, memory(usage));
}
WEFT_STANDBY_ENTRY(int, waitid, idtype_t type, id_t id, siginfo_t* out, int options) {
  return call(WEFT_REAL(waitid), type, id, memory(out), options);
}

// --- signals; their handlers are in signals.cpp ---

WEFT_ENTRY(int, sigpending, sigset_t* out) { return call(WEFT_REAL(sigpending), memory(out)); }
WEFT_ENTRY(int, sigwait, const sigset_t* set, int* number) {
  return call(WEFT_REAL(sigwait), memory(set), memory(number));
}
WEFT_ENTRY(int, sigwaitinfo, const sigset_t* set, siginfo_t* out) {
  return call(WEFT_REAL(sigwaitinfo), memory(set), memory(out));
}
WEFT_ENTRY(int, sigtimedwait, const sigset_t* set, siginfo_t* out, const timespec* timeout) {
  return call(WEFT_REAL(sigtimedwait), memory(set), memory(out), memory(timeout));
}
// --- time ---

WEFT_ENTRY(int, nanosleep, const timespec* time, timespec* rest) {
  return call(WEFT_REAL(nanosleep), memory(time), memory(rest));
}
WEFT_ENTRY(int, thrd_sleep, const timespec* time, timespec* rest) {
  return call(WEFT_REAL(thrd_sleep), memory(time), memory(rest));
}
WEFT_ENTRY(int, clock_nanosleep, clockid_t clock, int flags, const timespec* time, timespec* rest) {
  return call(WEFT_REAL(clock_nanosleep), clock, flags, memory(time), memory(rest));
}
WEFT_ENTRY(unsigned, sleep, unsigned seconds) { return call(WEFT_REAL(sleep), seconds); }
WEFT_ENTRY(int, usleep, useconds_t microseconds) { return call(WEFT_REAL(usleep), microseconds); }
WEFT_STANDBY_ENTRY(int, clock_gettime, clockid_t clock, timespec* out) {
  return read_clock(clock, out);
}
WEFT_ENTRY(int, clock_getres, clockid_t clock, timespec* out) {
  return call(WEFT_REAL(clock_getres), clock, memory(out));
}
WEFT_ENTRY(int, timespec_get, timespec* out, int base) {
  return call(WEFT_REAL(timespec_get), memory(out), base);
}
WEFT_STANDBY_ENTRY(clock_t, clock, void) { return call(WEFT_REAL(clock)); }
WEFT_STANDBY_ENTRY(clock_t, times, tms* out) { return call(WEFT_REAL(times), memory(out)); }
WEFT_STANDBY_ENTRY(int, getitimer, __itimer_which_t which, itimerval* out) {
  return call(WEFT_REAL(getitimer), which, memory(out));
}
WEFT_STANDBY_ENTRY(int, setitimer, __itimer_which_t which, const itimerval* value, itimerval* old) {
  return call(WEFT_REAL(setitimer), which, memory(value), memory(old));
}
WEFT_ENTRY(int, timerfd_settime, int fd, int flags, const itimerspec* value, itimerspec* old) {
  return call(WEFT_REAL(timerfd_settime), fd, flags, memory(value), memory(old));
}
WEFT_ENTRY(int, timerfd_gettime, int fd, itimerspec* out) {
  return call(WEFT_REAL(timerfd_gettime), fd, memory(out));
}
WEFT_STANDBY_ENTRY(int, timer_create, clockid_t clock, sigevent* event, timer_t* timer) {
  return call(WEFT_REAL(timer_create), clock, memory(event), memory(timer));
}
WEFT_STANDBY_ENTRY(int, timer_settime, timer_t timer, int flags, const itimerspec* value,
                   itimerspec* old) {
  return call(WEFT_REAL(timer_settime), timer, flags, memory(value), memory(old));
}
WEFT_STANDBY_ENTRY(int, timer_gettime, timer_t timer, itimerspec* out) {
  return call(WEFT_REAL(timer_gettime), timer, memory(out));
}

// --- the machine and its limits ---

WEFT_ENTRY(int, uname, utsname* out) { return call(WEFT_REAL(uname), memory(out)); }
WEFT_ENTRY(int, sysinfo, struct sysinfo* out) { return call(WEFT_REAL(sysinfo), memory(out)); }
WEFT_STANDBY_ENTRY(int, getrusage, __rusage_who_t who, rusage* out) {
  return call(WEFT_REAL(getrusage), who, memory(out));
}
WEFT_STANDBY_ENTRY(int, getrlimit, __rlimit_resource_t which, rlimit* out) {
  return call(WEFT_REAL(getrlimit), which, memory(out));
}
WEFT_STANDBY_ENTRY(int, getrlimit64, __rlimit_resource_t which, rlimit64* out) {
  return call(WEFT_REAL(getrlimit64), which, memory(out));
}
WEFT_STANDBY_ENTRY(int, setrlimit, __rlimit_resource_t which, const rlimit* value) {
  return call(WEFT_REAL(setrlimit), which, memory(value));
}
WEFT_STANDBY_ENTRY(int, setrlimit64, __rlimit_resource_t which, const rlimit64* value) {
  return call(WEFT_REAL(setrlimit64), which, memory(value));
}
WEFT_STANDBY_ENTRY(int, prlimit, pid_t pid, __rlimit_resource which, const rlimit* value,
                   rlimit* old) {
  return call(WEFT_REAL(prlimit), pid, which, memory(value), memory(old));
}
WEFT_STANDBY_ENTRY(int, sched_getaffinity, pid_t pid, std::size_t bytes, cpu_set_t* out) {
  return call(WEFT_REAL(sched_getaffinity), pid, bytes, Memory<cpu_set_t>{out, bytes});
}
WEFT_STANDBY_ENTRY(int, sched_setaffinity, pid_t pid, std::size_t bytes, const cpu_set_t* in) {
  return call(WEFT_REAL(sched_setaffinity), pid, bytes, Memory<const cpu_set_t>{in, bytes});
}
WEFT_ENTRY(int, getgroups, int count, gid_t* out) {
  return call(WEFT_REAL(getgroups), count,
              memory(out, count < 0 ? 0 : static_cast<std::size_t>(count)));
}
WEFT_ENTRY(int, __getgroups_chk, int count, gid_t* out, std::size_t capacity) {
  return call(WEFT_REAL(__getgroups_chk), count,
              memory(out, count < 0 ? 0 : static_cast<std::size_t>(count)), capacity);
}

}  // namespace weft::libc
