// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cases of io_test: processes, signals, time and limits.
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "libc/testing/io_test_cases.hpp"

namespace {

// Runs `program` in a child and returns its exit status, or -1.
template <typename Program>
int in_child(Program program) {
  const pid_t child = fork();
  if (child == 0) {
    program();
    _exit(99);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

constexpr IoCase kCases[] = {
    {"execve",
     [](TestRegion& r) {
       char* const path = r.put_text("/bin/sh");
       auto* const argv = r.put(std::array<char*, 4>{r.put_text("sh"), r.put_text("-c"),
                                                     r.put_text("exit $CODE"), nullptr});
       auto* const environment = r.put(std::array<char*, 2>{r.put_text("CODE=17"), nullptr});
       r.hide();
       return in_child([=] { execve(path, argv->data(), environment->data()); }) == 17;
     }},
    {"execl",
     [](TestRegion& r) {
       char* const path = r.put_text("/bin/sh");
       char* const code = r.put_text("exit 18");
       r.hide();
       return in_child([=] { execl(path, "sh", "-c", code, nullptr); }) == 18 &&
              in_child([=] { execlp("sh", "sh", "-c", code, nullptr); }) == 18;
     }},
    {"execvp",
     [](TestRegion& r) {
       char* const path = r.put_text("sh");
       auto* const argv = r.put(std::array<char*, 4>{r.put_text("sh"), r.put_text("-c"),
                                                     r.put_text("exit 19"), nullptr});
       r.hide();
       return in_child([=] { execvp(path, argv->data()); }) == 19;
     }},
    {"posix_spawn_and_waitpid",
     [](TestRegion& r) {
       char* const path = r.put_text("/bin/sh");
       auto* const argv = r.put(std::array<char*, 4>{r.put_text("sh"), r.put_text("-c"),
                                                     r.put_text("exit 20"), nullptr});
       auto* const pid = r.put<pid_t>(0);
       auto* const status = r.put(0);
       r.hide();
       if (posix_spawn(pid, path, nullptr, nullptr, argv->data(), environ) != 0) return false;
       const pid_t child = *pid;
       r.hide();
       return waitpid(child, status, 0) == child && WEXITSTATUS(*status) == 20;
     }},
    {"wait4",
     [](TestRegion& r) {
       auto* const status = r.put(0);
       auto* const usage = static_cast<rusage*>(r.room(sizeof(rusage)));
       const pid_t child = fork();
       if (child == 0) _exit(21);
       r.hide();
       if (wait4(child, status, 0, usage) != child) {
         waitpid(child, nullptr, 0);
         return false;
       }
       return WEXITSTATUS(*status) == 21;
     }},
    {"system",
     [](TestRegion& r) {
       char* const command = r.put_text("exit 22");
       r.hide();
       return WEXITSTATUS(system(command)) == 22;
     }},
    {"popen",
     [](TestRegion& r) {
       char* const command = r.put_text("echo 23");
       char* const mode = r.put_text("r");
       r.hide();
       FILE* const stream = popen(command, mode);
       int number = 0;
       const bool good = stream != nullptr && fscanf(stream, "%d", &number) == 1;
       return good && pclose(stream) == 0 && number == 23;
     }},
    {"sigaction",
     [](TestRegion& r) {
       struct sigaction ignore{};
       ignore.sa_handler = SIG_IGN;
       auto* const action = r.put(ignore);
       auto* const old = static_cast<struct sigaction*>(r.room(sizeof(struct sigaction)));
       r.hide();
       return sigaction(SIGUSR1, action, nullptr) == 0 && (r.hide(), true) &&
              sigaction(SIGUSR1, nullptr, old) == 0 && old->sa_handler == SIG_IGN;
     },
     IoCase::kWorks},
    {"sigprocmask",
     [](TestRegion& r) {
       auto* const set = r.put(sigset_t{});
       auto* const old = r.put(sigset_t{});
       sigaddset(set, SIGUSR2);
       r.hide();
       return sigprocmask(SIG_BLOCK, set, nullptr) == 0 && (r.hide(), true) &&
              sigprocmask(SIG_UNBLOCK, set, old) == 0 && sigismember(old, SIGUSR2) == 1;
     }},
    {"touching_while_all_signals_are_blocked",
     [](TestRegion& r) {
       auto* const number = r.put(5);
       return in_child([&] {
                sigset_t all;
                sigfillset(&all);
                pthread_sigmask(SIG_BLOCK, &all, nullptr);
                r.hide();
                _exit(*number);
              }) == 5;
     },
     IoCase::kWorks},
    {"sigtimedwait",
     [](TestRegion& r) {
       auto* const set = r.put(sigset_t{});
       auto* const info = static_cast<siginfo_t*>(r.room(sizeof(siginfo_t)));
       auto* const timeout = r.put(timespec{1, 0});
       sigaddset(set, SIGUSR2);
       sigprocmask(SIG_BLOCK, set, nullptr);
       raise(SIGUSR2);
       r.hide();
       const bool good = sigtimedwait(set, info, timeout) == SIGUSR2 && info->si_signo == SIGUSR2;
       if (!good) signal(SIGUSR2, SIG_IGN);
       sigprocmask(SIG_UNBLOCK, set, nullptr);
       return good;
     }},
    {"nanosleep",
     [](TestRegion& r) {
       auto* const time = r.put(timespec{0, 1000});
       auto* const rest = r.put(timespec{});
       r.hide();
       return nanosleep(time, rest) == 0 && thrd_sleep((r.hide(), time), rest) == 0 &&
              clock_nanosleep(CLOCK_MONOTONIC, 0, (r.hide(), time), nullptr) == 0;
     }},
    {"clock_gettime",
     [](TestRegion& r) {
       auto* const time = r.put(timespec{});
       r.hide();
       return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, time) == 0 &&
              time->tv_sec + time->tv_nsec > 0;
     }},
    {"timerfd",
     [](TestRegion& r) {
       const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
       auto* const value = r.put(itimerspec{{0, 0}, {100, 0}});
       auto* const left = r.put(itimerspec{});
       r.hide();
       const bool good = timerfd_settime(timer, 0, value, nullptr) == 0 &&
                         timerfd_gettime(timer, left) == 0 && left->it_value.tv_sec >= 98;
       close(timer);
       return good;
     }},
    {"times",
     [](TestRegion& r) {
       auto* const out = r.put(tms{-1, -1, -1, -1});
       r.hide();
       return times(out) != -1 && out->tms_utime >= 0;
     }},
    {"uname",
     [](TestRegion& r) {
       auto* const out = static_cast<utsname*>(r.room(sizeof(utsname)));
       r.hide();
       return uname(out) == 0 && strcmp(out->sysname, "Linux") == 0;
     }},
    {"sysinfo",
     [](TestRegion& r) {
       auto* const out = static_cast<struct sysinfo*>(r.room(sizeof(struct sysinfo)));
       r.hide();
       return sysinfo(out) == 0 && out->totalram > 0;
     }},
    {"getrusage",
     [](TestRegion& r) {
       auto* const out = static_cast<rusage*>(r.room(sizeof(rusage)));
       r.hide();
       return getrusage(RUSAGE_SELF, out) == 0 && out->ru_maxrss > 0;
     }},
    {"limits",
     [](TestRegion& r) {
       auto* const out = r.put(rlimit{});
       r.hide();
       return getrlimit(RLIMIT_NOFILE, out) == 0 && out->rlim_cur > 0 && (r.hide(), true) &&
              setrlimit(RLIMIT_NOFILE, out) == 0;
     }},
    {"affinity",
     [](TestRegion& r) {
       auto* const out = static_cast<cpu_set_t*>(r.room(sizeof(cpu_set_t)));
       r.hide();
       return sched_getaffinity(0, sizeof *out, out) == 0 && CPU_COUNT(out) > 0 &&
              (r.hide(), true) && sched_setaffinity(0, sizeof *out, out) == 0;
     }},
};

}  // namespace

std::span<const IoCase> process_cases() { return kCases; }
