// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread -D_GNU_SOURCE
//
// Threads that are cancelled in calls of the C library that wait, each kind of them, before and
// while they wait. What the C library unwinds then are frames of Weft's, too. Each cleans up.

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../check.h"

enum { kRounds = 6 };

static const struct timespec long_time = {1000, 0};

static void in_nanosleep(int fd) {
  (void)fd;
  nanosleep(&long_time, NULL);
}
static void in_clock_nanosleep(int fd) {
  (void)fd;
  clock_nanosleep(CLOCK_MONOTONIC, 0, &long_time, NULL);
}
static void in_sleep(int fd) {
  (void)fd;
  sleep(1000);
}
static void in_pause(int fd) {
  (void)fd;
  pause();
}
static void in_read(int fd) {
  char byte;
  (void)!read(fd, &byte, 1);
}
static void in_receive(int fd) {
  char byte;
  (void)!recv(fd, &byte, 1, 0);
}
static void in_write(int fd) {
  static const char bytes[65536];
  for (;;) (void)!write(fd, bytes, sizeof bytes);
}
static void in_poll(int fd) {
  struct pollfd one = {fd, POLLIN, 0};
  poll(&one, 1, -1);
}
static void in_select(int fd) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(fd, &set);
  select(fd + 1, &set, NULL, NULL, NULL);
}
static void in_accept(int fd) {
  (void)fd;
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  EXPECT(bind(listener, &(struct sockaddr){AF_UNIX}, 2) == 0, "bind");  // to a name of the kernel's
  EXPECT(listen(listener, 1) == 0, "listen");
  accept(listener, NULL, NULL);
}
static void in_fgets(int fd) {
  char line[10];
  FILE* const stream = fdopen(fd, "r");
  EXPECT(stream != NULL, "fdopen");
  (void)!fgets(line, sizeof line, stream);
}

static void (*const calls[])(int) = {in_nanosleep, in_clock_nanosleep, in_sleep, in_pause,
                                     in_read,      in_receive,         in_write, in_poll,
                                     in_select,    in_accept,          in_fgets};
enum { kCalls = sizeof calls / sizeof *calls };

static atomic_int begun, cleaned;

static void clean_up(void* ends) {
  (void)ends;
  atomic_fetch_add(&cleaned, 1);
}

static void* call(void* which) {
  int ends[2];  // this node's
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
  pthread_cleanup_push(clean_up, ends);
  atomic_fetch_add(&begun, 1);
  for (;;) calls[(intptr_t)which](ends[0]);
  pthread_cleanup_pop(0);
}

int main(void) {
  for (int round = 0; round < kRounds; ++round) {
    pthread_t threads[kCalls];
    atomic_store(&begun, 0);
    atomic_store(&cleaned, 0);
    for (intptr_t i = 0; i < kCalls; ++i)
      EXPECT(pthread_create(&threads[i], NULL, call, (void*)i) == 0, "no thread");
    // Later ones are in their call for longer.
    while (round > 0 && atomic_load(&begun) < kCalls) usleep(1000);
    usleep((useconds_t)round * 4000);
    for (int i = 0; i < kCalls; ++i) EXPECT(pthread_cancel(threads[i]) == 0, "no thread %d", i);
    for (int i = 0; i < kCalls; ++i) {
      void* result = NULL;
      EXPECT(pthread_join(threads[i], &result) == 0, "thread %d cannot be joined.", i);
      EXPECT(result == PTHREAD_CANCELED, "Thread %d returned.", i);
    }
    EXPECT(atomic_load(&cleaned) == atomic_load(&begun), "%d of %d threads cleaned up.",
           atomic_load(&cleaned), atomic_load(&begun));
  }
  return ok();
}
