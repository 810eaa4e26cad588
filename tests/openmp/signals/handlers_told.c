// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread -D_GNU_SOURCE -Wno-deprecated-declarations
//
// What the program has said about a signal is what it is told: on other nodes, in a forked child,
// and by System V's calls. Never a handler of Weft's.

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

static volatile sig_atomic_t calls;
static void count(int number) {
  (void)number;
  calls = calls + 1;
}
static void other(int number) { (void)number; }

static int is_told(void) {
  struct sigaction told;
  return sigaction(SIGUSR1, NULL, &told) == 0 && told.sa_handler == count &&
         (told.sa_flags & ~0x04000000) == SA_NOCLDSTOP && sigismember(&told.sa_mask, SIGUSR2) == 1;
}

static int find_in_child(void) {
  if (!is_told()) return 1;
  raise(SIGUSR1);
  if (calls != 1) return 2;
  if (signal(SIGUSR1, other) != count) return 3;
  if (signal(SIGUSR1, SIG_DFL) != other) return 4;
  return 0;
}

static void in_child(void) {
  const pid_t child = fork();
  EXPECT(child >= 0, "fork");
  if (child == 0) _exit(find_in_child());
  int status = 0;
  EXPECT(waitpid(child, &status, 0) == child, "no child");
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0, "The child found %#x.", status);
}

static int is_blocked(void) {
  sigset_t mask;
  sigprocmask(SIG_BLOCK, NULL, &mask);
  return sigismember(&mask, SIGUSR1);
}

static void by_system_v(void) {
  EXPECT(sigset(SIGUSR1, other) == count, "sigset tells another handler.");
  EXPECT(sigset(SIGUSR1, SIG_HOLD) == other && is_blocked(), "It is not held.");
  EXPECT(sigset(SIGUSR1, count) == SIG_HOLD && !is_blocked(), "It is still held.");
  EXPECT(sigignore(SIGUSR1) == 0 && sigset(SIGUSR1, SIG_DFL) == SIG_IGN, "It is not ignored.");
  errno = 0;
  EXPECT(sigset(1000, count) == SIG_ERR && errno == EINVAL, "There is a signal 1000.");
  EXPECT(sigignore(SIGKILL) == -1 && errno == EINVAL, "SIGKILL is ignored.");
}

// Nobody else takes it: neither Weft's threads nor those that come later.
static void stays_pending(int number) {
  sigset_t one, pending;
  sigemptyset(&one);
  sigaddset(&one, number);
  sigprocmask(SIG_BLOCK, &one, NULL);
  EXPECT(kill(getpid(), number) == 0, "kill");
  EXPECT(sigpending(&pending) == 0 && sigismember(&pending, number) == 1, "Nothing is pending.");
  EXPECT(sigwaitinfo(&one, NULL) == number, "It did not come.");
  sigprocmask(SIG_UNBLOCK, &one, NULL);
}

int main(void) {
  stays_pending(SIGABRT);
  stays_pending(SIGTERM);
  struct sigaction action = {.sa_handler = count, .sa_flags = SA_NOCLDSTOP};
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, SIGUSR2);
  EXPECT(sigaction(SIGUSR1, &action, NULL) == 0, "sigaction");
#pragma omp parallel
  EXPECT(is_told(), "A thread is told something else.");
  in_child();
  by_system_v();
  return ok();
}
