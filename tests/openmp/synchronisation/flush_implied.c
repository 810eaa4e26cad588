// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread stores a plain flag and goes on to a construct that implies a flush, mostly to wait
// there; another one polls for the flag with explicit flushes. What keeps the writer from the next
// round is a relaxed atomic, which is no flush.

#include <omp.h>
#include <string.h>

#include "../check.h"

enum { kRounds = 3, kStages = 64, kLines = 20 };

static int data, flag, done, scratch;
static long line[kStages][kLines];
static omp_lock_t lock;

static void wait_relaxed(const int* word, int value) {
  int now;
  do {
#pragma omp atomic read relaxed
    now = *word;
  } while (now != value);
}

static void set_relaxed(int* word, int value) {
#pragma omp atomic write relaxed
  *word = value;
}

static void store(int round) {
  data = 10 * round;
  flag = round;
}

// What the test is about.
static void poll(const char* name, int round) {
  while (flag != round) {
#pragma omp flush
  }
#pragma omp flush
  EXPECT(data == 10 * round, "%s: with flag %d the data are %d", name, round, data);
  set_relaxed(&done, round);
}

// In each round one thread does `write`, which stores and then implies a flush, and waits until the
// other has seen it. `before` and `after` are done by the one that polls, around that.
#define IMPLIED(name, before, write, after)                                  \
  static void name(int writer, int poller) {                                 \
    flag = done = 0;                                                         \
    _Pragma("omp parallel") for (int round = 1; round <= kRounds; ++round) { \
      const int me = omp_get_thread_num();                                   \
      if (me == poller) {                                                    \
        before                                                               \
      }                                                                      \
      DO(omp barrier)                                                        \
      if (me == writer) {                                                    \
        write wait_relaxed(&done, round);                                    \
      }                                                                      \
      if (me == poller) {                                                    \
        poll(#name, round);                                                  \
        after                                                                \
      }                                                                      \
      DO(omp barrier)                                                        \
    }                                                                        \
  }
#define DO(text) _Pragma(#text)
#define NOTHING

IMPLIED(explicit_flush, NOTHING, store(round); DO(omp flush), NOTHING)
IMPLIED(release_flush, NOTHING, store(round); DO(omp flush release), NOTHING)
IMPLIED(no_flush_at_all, NOTHING, store(round);, NOTHING)
IMPLIED(unset_lock, NOTHING, omp_set_lock(&lock); store(round); omp_unset_lock(&lock);, NOTHING)
IMPLIED(waiting_for_lock, omp_set_lock(&lock);, store(round); omp_set_lock(&lock);
        omp_unset_lock(&lock);, omp_unset_lock(&lock);)
IMPLIED(end_of_critical, NOTHING, DO(omp critical) store(round);, NOTHING)
IMPLIED(entering_critical, NOTHING, store(round); DO(omp critical) scratch++;, NOTHING)
IMPLIED(release_atomic, NOTHING, store(round); DO(omp atomic write release) scratch = round;
        , NOTHING)
IMPLIED(sequential_atomic, NOTHING, store(round); DO(omp atomic update seq_cst)++ scratch;, NOTHING)
IMPLIED(task_created, NOTHING, store(round); DO(omp task) scratch++;, NOTHING)
IMPLIED(task_ended, NOTHING, DO(omp task if (0)) store(round);, NOTHING)
IMPLIED(yields, NOTHING, store(round); DO(omp taskyield), NOTHING)
IMPLIED(waiting_for_task, NOTHING, DO(omp task) wait_relaxed(&done, round); store(round);
        DO(omp taskwait), NOTHING)
IMPLIED(
    waiting_for_group, NOTHING,
    DO(omp taskgroup) {
      DO(omp task)
      wait_relaxed(&done, round);
      store(round);
    },
    NOTHING)
IMPLIED(inner_region, NOTHING,
        DO(omp parallel num_threads(2)) if (omp_get_thread_num() == 0) store(round);
        , NOTHING)

// In these the writer waits for the one that polls.
static void at_barrier(int writer, int poller) {
  flag = done = 0;
#pragma omp parallel
  for (int round = 1; round <= kRounds; ++round) {
    if (omp_get_thread_num() == writer) store(round);
    if (omp_get_thread_num() == poller) poll("at_barrier", round);
#pragma omp barrier
  }
}

static void at_end_of_region(int writer, int poller) {
  flag = done = 0;
  for (int round = 1; round <= kRounds; ++round) {
#pragma omp parallel
    {
      if (omp_get_thread_num() == writer) store(round);
      if (omp_get_thread_num() == poller) poll("at_end_of_region", round);
    }
  }
}

static void at_reduction(int writer, int poller) {
  flag = done = 0;
  long sum = 0, threads = 0;
#pragma omp parallel
  for (int round = 1; round <= kRounds; ++round) {
    const int me = omp_get_thread_num();
#pragma omp single
    threads = omp_get_num_threads();
#pragma omp for reduction(+ : sum) schedule(static, 1)
    for (int i = 0; i < omp_get_num_threads(); ++i) {
      if (me == writer) store(round);
      if (me == poller) poll("at_reduction", round);
      sum += 1;
    }
  }
  EXPECT(sum == kRounds * threads, "The sum is %ld.", sum);
}

static void at_copyprivate(int writer, int poller) {
  flag = done = 0;
#pragma omp parallel
  for (int round = 1; round <= kRounds; ++round) {
    int copied = 0;
    if (omp_get_thread_num() == writer) store(round);
    if (omp_get_thread_num() == poller) poll("at_copyprivate", round);
#pragma omp single copyprivate(copied)
    copied = round;
    EXPECT(copied == round, "copyprivate gave %d", copied);
  }
}

// The iteration before polls for what the next one stores before its turn.
static void at_ordered(int writer, int poller) {
  flag = done = 0;
#pragma omp parallel
  for (int round = 1; round <= kRounds; ++round) {
    const int me = omp_get_thread_num(), threads = omp_get_num_threads();
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < threads; ++i) {
      if (me == writer) store(round);
      if (me == poller && poller < writer) poll("at_ordered", round);
#pragma omp ordered
      scratch++;
      if (me == poller && poller > writer) poll("at_ordered", round);
    }
  }
}

static void at_sink(int writer, int poller) {
  flag = done = 0;
#pragma omp parallel
  for (int round = 1; round <= kRounds; ++round) {
    const int me = omp_get_thread_num(), threads = omp_get_num_threads();
#pragma omp for ordered(1) schedule(static, 1)
    for (int i = 0; i < threads; ++i) {
      if (me == writer) store(round);
      if (me == poller && poller < writer) poll("at_sink", round);
#pragma omp ordered depend(sink : i - 1)
      scratch++;
#pragma omp ordered depend(source)
      if (me == poller && poller > writer) poll("at_sink", round);
    }
  }
}

// A pipeline of threads, each with a plain flag that says whether its line is there to be taken, as
// in NPB's LU: the last of them stores its flag and goes to the barrier.
static int ready[kStages][1024];

static void pipeline(void) {
  memset(line, 0, sizeof line);
  memset(ready, 0, sizeof ready);
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    const int stages = omp_get_num_threads() < kStages ? omp_get_num_threads() : kStages;
    for (int turn = 0; turn < 3; ++turn) {
      for (int k = 0; k < kLines && me < stages; ++k) {
        if (me > 0) {
          while (ready[me - 1][0] == 0) {
#pragma omp flush
          }
#pragma omp flush
          ready[me - 1][0] = 0;
#pragma omp flush
        }
        line[me][k] = (me == 0 ? turn + k : line[me - 1][k]) + 1;
        if (me + 1 < stages) {
          while (ready[me][0] == 1) {
#pragma omp flush
          }
#pragma omp flush
          ready[me][0] = 1;
#pragma omp flush
        }
      }
#pragma omp barrier
      if (me < stages)
        for (int k = 0; k < kLines; ++k)
          EXPECT(line[me][k] == turn + k + me + 1, "line %d of stage %d is %ld", k, me,
                 line[me][k]);
#pragma omp barrier
    }
  }
}

static void all(int writer, int poller) {
  explicit_flush(writer, poller);
  release_flush(writer, poller);
  unset_lock(writer, poller);
  waiting_for_lock(writer, poller);
  end_of_critical(writer, poller);
  entering_critical(writer, poller);
  release_atomic(writer, poller);
  sequential_atomic(writer, poller);
  task_created(writer, poller);
  task_ended(writer, poller);
  yields(writer, poller);
  waiting_for_task(writer, poller);
  waiting_for_group(writer, poller);
  inner_region(writer, poller);
  no_flush_at_all(writer, poller);
  at_barrier(writer, poller);
  at_end_of_region(writer, poller);
  at_reduction(writer, poller);
  at_copyprivate(writer, poller);
  at_ordered(writer, poller);
  at_sink(writer, poller);
}

int main(void) {
  const int last = omp_get_max_threads() - 1;
  if (last == 0) return ok();
  omp_init_lock(&lock);
  all(last, 0);
  all(0, last);
  all(last, last - 1);
  pipeline();
  omp_destroy_lock(&lock);
  return ok();
}
