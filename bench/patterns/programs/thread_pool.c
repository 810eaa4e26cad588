// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads take tasks out of one queue, under a mutex and with a condition, and put new ones
// there. A task is a few microseconds of computing. Arguments: TASKS TURNS.
#include "threads.h"

enum { kRoom = 64 };

static long tasks, turns, made, done, sum;
static long queue[kRoom], first, count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static long compute(long task) {
  uint64_t value = (uint64_t)task;
  for (long turn = 0; turn < turns; ++turn) value = mixed(value + 1);
  return (long)(value % 1000);
}

// With the lock: until the queue is full.
static void make_tasks(void) {
  for (; made < tasks && count < kRoom; ++count) queue[(first + count) % kRoom] = made++;
}

static void* work(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  for (;;) {
    make_tasks();
    while (count == 0 && done < tasks) pthread_cond_wait(&changed, &lock);
    if (count == 0) break;
    const long task = queue[first];
    first = (first + 1) % kRoom;
    --count;
    pthread_mutex_unlock(&lock);
    const long result = compute(task);
    pthread_mutex_lock(&lock);
    sum += result;
    ++done;
    pthread_cond_broadcast(&changed);
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(int argc, char** argv) {
  tasks = argument(argc, argv, 1, 20000);
  turns = argument(argc, argv, 2, 500);
  const double seconds = run_on_two(work);
  long expected = 0;
  for (long task = 0; task < tasks; ++task) expected += compute(task);
  return finish(seconds, sum, expected);
}
