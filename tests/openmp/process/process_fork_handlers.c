// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread -D_GNU_SOURCE
//
// Handlers of pthread_atfork: registered by any thread, they run in any thread that forks, in their
// order, and those of the child change the child's memory alone. One of them holds a lock
// meanwhile.

#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int before[4], in_parent[4], in_child[4], clock_now;

static void begin_first(void) {
  pthread_mutex_lock(&lock);
  before[0] = ++clock_now;
}
static void parent_first(void) {
  in_parent[0] = ++clock_now;
  pthread_mutex_unlock(&lock);
}
static void child_first(void) {
  in_child[0] = ++clock_now;
  pthread_mutex_unlock(&lock);
  errno = 0;
}
static void begin_second(void) { before[1] = ++clock_now; }
static void parent_second(void) { in_parent[1] = ++clock_now; }
static void child_second(void) { in_child[1] = ++clock_now; }

static void* register_second(void* none) {
  EXPECT(pthread_atfork(begin_second, parent_second, child_second) == 0, "pthread_atfork");
  return none;
}

// What the child finds, as a status: 0 is right.
static int look(int start) {
  if (before[1] != start + 1 || before[0] != start + 2) return 1;
  if (in_child[0] != start + 3 || in_child[1] != start + 4) return 2;
  if (in_parent[0] > start || in_parent[1] > start) return 3;
  if (pthread_mutex_trylock(&lock) != 0) return 4;
  pthread_mutex_unlock(&lock);
  return 0;
}

static void fork_once(void) {
  static const volatile int in_child_of_child = 1;
  const int start = clock_now;
  const pid_t child = fork();
  EXPECT(child >= 0, "fork");
  if (child == 0) {
    const int found = look(start);
    if (found != 0) _exit(found);
    const pid_t other = fork();
    if (other == 0) _exit(look(start + 4) + in_child_of_child);
    int status = 0;
    waitpid(other, &status, 0);
    _exit(WEXITSTATUS(status) == in_child_of_child ? 0 : 10 + WEXITSTATUS(status));
  }
  int status = 0;
  EXPECT(waitpid(child, &status, 0) == child, "no child");
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0, "The child found %d.", status);
  EXPECT(before[1] == start + 1 && before[0] == start + 2, "before: %d %d", before[1], before[0]);
  EXPECT(in_parent[0] == start + 3 && in_parent[1] == start + 4, "after: %d %d", in_parent[0],
         in_parent[1]);
  EXPECT(in_child[0] == 0 && in_child[1] == 0, "The child's handlers have written here.");
}

static void* in_a_thread(void* none) {
  fork_once();
  return none;
}

// No call of fork is where a thread is cancelled.
static volatile pid_t forked;
static void* fork_though_cancelled(void* none) {
  pthread_cancel(pthread_self());
  forked = fork();
  if (forked == 0) _exit(17);
  pthread_testcancel();
  return none;
}

static void cancelled_before_it_forks(void) {
  pthread_t thread;
  void* result = NULL;
  int status = 0;
  EXPECT(pthread_create(&thread, NULL, fork_though_cancelled, NULL) == 0, "no thread");
  EXPECT(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED, "It went on.");
  EXPECT(forked > 0 && waitpid(forked, &status, 0) == forked, "It has not forked.");
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 17, "The child ended with %d.", status);
}

int main(void) {
  EXPECT(pthread_atfork(begin_first, parent_first, child_first) == 0, "pthread_atfork");
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, register_second, NULL) == 0, "no thread");
  pthread_join(thread, NULL);
  fork_once();
  for (int i = 0; i < 3; ++i) {
    EXPECT(pthread_create(&thread, NULL, in_a_thread, NULL) == 0, "no thread");
    pthread_join(thread, NULL);
  }
  cancelled_before_it_forks();
#pragma omp parallel
  for (int i = 0; i < omp_get_num_threads(); ++i) {
    if (i == omp_get_thread_num()) fork_once();
#pragma omp barrier
  }
  return ok();
}
