// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the program's own that are named as functions of POSIX and Linux: C leaves these
// names to programs that do not include the headers. They are called by the program, on all nodes,
// and by nobody else: not before main, and not by what Weft and UCX do meanwhile.

#include <omp.h>

#include "../check.h"

enum { kRounds = 50 };

static long calls;

// Of what it is given, each makes something that no other does.
#define OWN(name, number)                            \
  long name(long given) {                            \
    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED); \
    return given + number;                           \
  }
#define ALL(does)                                                                                 \
  does(socket, 1) does(bind, 2) does(listen, 3) does(accept, 4) does(connect, 5) does(send, 6)    \
      does(recv, 7) does(sendmsg, 8) does(recvmsg, 9) does(shutdown, 10) does(poll, 11)           \
          does(sendto, 12) does(epoll_create1, 13) does(epoll_wait, 14) does(epoll_ctl, 15)       \
              does(eventfd, 16) does(open, 17) does(openat, 18) does(read, 19) does(write, 20)    \
                  does(readv, 21) does(writev, 22) does(stat, 23) does(lseek, 24) does(pipe, 25)  \
                      does(pipe2, 26) does(dup, 27) does(fcntl, 28) does(fdatasync, 29)           \
                          does(unlink, 30) does(readlink, 31) does(prctl, 32) does(fsync, 33)     \
                              does(strtok_r, 34) does(gethostname, 35) does(setsockopt, 36)       \
                                  does(getsockname, 37) does(sigaltstack, 38) does(nanosleep, 39) \
                                      does(pthread_setschedparam, 40) does(pthread_once, 41)      \
                                          does(pthread_setname_np, 42) does(getaddrinfo, 43)      \
                                              does(readdir, 44) does(dirname, 45)                 \
                                                  does(timerfd_create, 46)

#define DEFINE(name, number) OWN(name, number)
ALL(DEFINE)

typedef long Function(long);
#define COMMA(name, number) name,
static Function* const functions[] = {ALL(COMMA)};
enum { kFunctions = sizeof functions / sizeof *functions };

static void call_all(long given) {
  for (int i = 0; i < kFunctions; ++i) {
    const long result = functions[i](given);
    EXPECT(result == given + i + 1, "thread %d: function %d of %ld is %ld", omp_get_thread_num(),
           i + 1, given, result);
  }
}

static void expect_calls(long expected, const char* when) {
  EXPECT(calls == expected, "%s, %ld calls and not %ld", when, calls, expected);
}

int main(void) {
  long made = 0, sum = 0;
  expect_calls(0, "before main");
  for (int round = 0; round < kRounds; ++round) {
#pragma omp parallel reduction(+ : made, sum)
    {
      call_all(100 * round + omp_get_thread_num());
      made += kFunctions;
      sum += 1;
#pragma omp barrier
#pragma omp critical
      sum += 1;
    }
    expect_calls(made, "after a region");
  }
  EXPECT(sum * kFunctions == 2 * made, "%ld threads", sum / 2);
  char* const memory = malloc(100);
  free(memory);
  expect_calls(made, "at the end");
  return ok();
}
