// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the basic operations of shared memory cost between two nodes of one thread each: an ordinary
// OpenMP program, so that it measures what programs get. Prints a line for each measurement and
// repetition: name, value, unit, and how many operations were made.
// Usage: micro [REPETITIONS [NAME]]
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kPageBytes = 4096, kMissPages = 2048, kBigBytes = 64 << 20, kOperations = 2000 };
enum { kBigPages = kBigBytes / kPageBytes, kBigWords = kBigBytes / sizeof(long) };

static char* misses;  // written by thread 1, read by thread 0 in an order that nobody can guess:
static int order[kMissPages];
static long* big;
static volatile long sink;
static const char* name;  // of the present measurement

static void report_time(double seconds, int operations) {
  printf("%s %.3f us %d\n", name, seconds / operations * 1e6, operations);
  fflush(stdout);
}

static void report_rate(double seconds) {
  printf("%s %.3f MB/s %d\n", name, kBigBytes / seconds / 1e6, kBigPages);
  fflush(stdout);
}

// Thread 1 writes every page, so that its node is their home; afterwards thread 0 has none of them.
static void write_at_1(void* memory, size_t bytes, long value) {
#pragma omp parallel
  if (omp_get_thread_num() == 1)
    for (size_t i = 0; i < bytes / sizeof(long); ++i) ((long*)memory)[i] = value + (long)i;
}

static long sum_of_big(void) {
  long sum = 0;
  for (size_t i = 0; i < kBigWords; ++i) sum += big[i];
  return sum;
}

// No even distances, which read-ahead would recognise.
static void shuffle_order(void) {
  unsigned random = 12345;
  for (int i = 0; i < kMissPages; ++i) order[i] = i;
  for (int i = kMissPages - 1; i > 0; --i) {
    random = random * 1664525u + 1013904223u;
    const int other = (int)((random >> 16) % (unsigned)(i + 1));
    const int page = order[i];
    order[i] = order[other];
    order[other] = page;
  }
}

static void page_miss(int repetition) {
  write_at_1(misses, (size_t)kMissPages * kPageBytes, repetition);
  double seconds = 0;
#pragma omp parallel
  if (omp_get_thread_num() == 0) {
    char sum = 0;
    const double start = omp_get_wtime();
    for (int i = 0; i < kMissPages; ++i) sum += misses[(size_t)order[i] * kPageBytes];
    seconds = omp_get_wtime() - start;
    sink = sum;
  }
  report_time(seconds, kMissPages);
}

static void sequential_read(int repetition) {
  write_at_1(big, kBigBytes, repetition);
  double seconds = 0;
#pragma omp parallel
  if (omp_get_thread_num() == 0) {
    const double start = omp_get_wtime();
    sink = sum_of_big();
    seconds = omp_get_wtime() - start;
  }
  report_rate(seconds);
}

// Thread 1 is the home; thread 0 overwrites everything, and the barrier publishes that. It may have
// read all of it before, or have to bring every page first.
static void write_and_publish(int repetition, int is_here) {
  write_at_1(big, kBigBytes, repetition);
  double seconds = 0;
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
    if (thread == 0 && is_here) sink = sum_of_big();
#pragma omp barrier
    const double start = omp_get_wtime();
    if (thread == 0)
      for (size_t i = 0; i < kBigWords; ++i) big[i] = (long)i * 3 + repetition;
#pragma omp barrier
    if (thread == 0) seconds = omp_get_wtime() - start;
  }
  report_rate(seconds);
}

static void write_absent(int repetition) { write_and_publish(repetition, 0); }
static void write_present(int repetition) { write_and_publish(repetition, 1); }

static void barrier(int repetition) {
  (void)repetition;
  double seconds = 0;
#pragma omp parallel
  {
#pragma omp barrier
    const double start = omp_get_wtime();
    for (int i = 0; i < kOperations; ++i) {
#pragma omp barrier
    }
    if (omp_get_thread_num() == 0) seconds = omp_get_wtime() - start;
  }
  report_time(seconds, kOperations);
}

// The threads walk round a ring of three locks, always taking the next before giving up the last,
// one behind the other: neither can overtake, so every lock changes hands each time, with no data.
static void lock_hand_over(int repetition) {
  (void)repetition;
  omp_lock_t ring[3];
  for (int i = 0; i < 3; ++i) omp_init_lock(&ring[i]);
  double seconds = 0;
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
    int mine = thread;
    omp_set_lock(&ring[mine]);
#pragma omp barrier
    const double start = omp_get_wtime();
    for (int i = 0; i < kOperations; ++i) {
      const int next = (mine + 1) % 3;
      omp_set_lock(&ring[next]);
      omp_unset_lock(&ring[mine]);
      mine = next;
    }
    omp_unset_lock(&ring[mine]);
#pragma omp barrier
    if (thread == 0) seconds = omp_get_wtime() - start;
  }
  for (int i = 0; i < 3; ++i) omp_destroy_lock(&ring[i]);
  report_time(seconds, 2 * kOperations);
}

// Both threads increment a counter under the lock, and count how often it changed hands.
static void lock_with_data(int repetition) {
  (void)repetition;
  omp_lock_t lock;
  omp_init_lock(&lock);
  double seconds = 0;
  int last = -1, changes = 0;
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
#pragma omp barrier
    const double start = omp_get_wtime();
    for (int finished = 0; !finished;) {
      omp_set_lock(&lock);
      if (last != thread) ++changes;
      last = thread;
      finished = changes >= kOperations;
      omp_unset_lock(&lock);
    }
#pragma omp barrier
    if (thread == 0) seconds = omp_get_wtime() - start;
  }
  omp_destroy_lock(&lock);
  report_time(seconds, changes);
}

static void uncontended_lock(int repetition) {
  (void)repetition;
  enum { kLocks = 100 * kOperations };
  omp_lock_t lock;
  omp_init_lock(&lock);
  double seconds = 0;
#pragma omp parallel
  if (omp_get_thread_num() == 1) {
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
    const double start = omp_get_wtime();
    for (int i = 0; i < kLocks; ++i) {
      omp_set_lock(&lock);
      omp_unset_lock(&lock);
    }
    seconds = omp_get_wtime() - start;
  }
  omp_destroy_lock(&lock);
  report_time(seconds, kLocks);
}

static void parallel_region(int repetition) {
  (void)repetition;
  const double start = omp_get_wtime();
  for (int i = 0; i < kOperations; ++i) {
#pragma omp parallel
    if (omp_get_thread_num() < 0) sink = 0;  // never, but the compiler can't know
  }
  report_time(omp_get_wtime() - start, kOperations);
}

static const struct {
  const char* name;
  void (*measure)(int repetition);
} kMeasurements[] = {
    {"page_miss", page_miss},
    {"sequential_read", sequential_read},
    {"write_absent", write_absent},
    {"write_present", write_present},
    {"barrier", barrier},
    {"lock_hand_over", lock_hand_over},
    {"lock_with_data", lock_with_data},
    {"uncontended_lock", uncontended_lock},
    {"parallel_region", parallel_region},
};

int main(int argc, char** argv) {
  const int repetitions = argc > 1 ? atoi(argv[1]) : 5;
  const char* only = argc > 2 ? argv[2] : NULL;
  if (omp_get_max_threads() != 2) {
    fprintf(stderr, "micro: needs two threads (two nodes of one), not %d\n", omp_get_max_threads());
    return 2;
  }
  misses = malloc((size_t)kMissPages * kPageBytes);
  shuffle_order();
  big = malloc(kBigBytes);
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (size_t i = 0; i < sizeof kMeasurements / sizeof kMeasurements[0]; ++i) {
      name = kMeasurements[i].name;
      if (only == NULL || strcmp(only, name) == 0) kMeasurements[i].measure(repetition);
    }
  }
  free(misses);
  free(big);
  return 0;
}
