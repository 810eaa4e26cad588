// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the basic operations of shared memory cost between two nodes of one thread each: an ordinary
// OpenMP program, so that it measures what programs get. Prints a line for each measurement and
// repetition: name, value, unit. Usage: micro [REPETITIONS]
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kPageBytes = 4096, kMissPages = 2048, kBigBytes = 64 << 20, kOperations = 2000 };

static char* misses;  // written by thread 1, read by thread 0 in an order that nobody can guess
static char* big;
static volatile char sink;

static void report(const char* name, double value, const char* unit) {
  printf("%s %.3f %s\n", name, value, unit);
  fflush(stdout);
}

// Thread 1 writes every page, so that its node is their home; afterwards thread 0 has none of them.
static void write_at_1(char* bytes, size_t count, int value) {
#pragma omp parallel
  if (omp_get_thread_num() == 1)
    for (size_t i = 0; i < count; ++i) bytes[i] = (char)(value + i);
}

static void page_miss(int repetition) {
  write_at_1(misses, (size_t)kMissPages * kPageBytes, repetition);
  double seconds = 0;
#pragma omp parallel
  if (omp_get_thread_num() == 0) {
    char sum = 0;
    const double start = omp_get_wtime();
    // An odd multiplier walks all pages of a power of two, never two neighbours in a row.
    for (unsigned i = 0; i < kMissPages; ++i)
      sum += misses[(size_t)(i * 1021u % kMissPages) * kPageBytes];
    seconds = omp_get_wtime() - start;
    sink = sum;
  }
  report("remote_page_miss", seconds / kMissPages * 1e6, "us");
}

static void sequential_read(int repetition) {
  write_at_1(big, kBigBytes, repetition);
  double seconds = 0;
#pragma omp parallel
  if (omp_get_thread_num() == 0) {
    long sum = 0;
    const double start = omp_get_wtime();
    for (size_t i = 0; i < kBigBytes / sizeof(long); ++i) sum += ((long*)big)[i];
    seconds = omp_get_wtime() - start;
    sink = (char)sum;
  }
  report("sequential_read", kBigBytes / seconds / 1e6, "MB/s");
}

// Thread 1 is the home and thread 0 has read all of it; then thread 0 overwrites it, and the barrier
// publishes that.
static void dense_write(int repetition) {
  write_at_1(big, kBigBytes, repetition);
  double seconds = 0;
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
    long sum = 0;
    if (thread == 0)
      for (size_t i = 0; i < kBigBytes / sizeof(long); ++i) sum += ((long*)big)[i];
    if (thread == 0) sink = (char)sum;
#pragma omp barrier
    const double start = omp_get_wtime();
    if (thread == 0)
      for (size_t i = 0; i < kBigBytes / sizeof(long); ++i) ((long*)big)[i] = (long)i + repetition;
#pragma omp barrier
    if (thread == 0) seconds = omp_get_wtime() - start;
  }
  report("dense_write_and_barrier", kBigBytes / seconds / 1e6, "MB/s");
}

static void barrier(void) {
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
  report("barrier", seconds / kOperations * 1e6, "us");
}

// Both nodes want the lock all the time; counts how often it changed hands.
static void lock_hand_over(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  double seconds = 0;
  int last = -1, changes = 0;
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
#pragma omp barrier
    const double start = omp_get_wtime();
    int mine = 0;
    while (mine < kOperations && thread < 2) {
      omp_set_lock(&lock);
      if (last != thread) {
        last = thread;
        ++changes;
        ++mine;
      } else if (changes >= 2 * kOperations - 2) {
        mine = kOperations;
      }
      omp_unset_lock(&lock);
    }
#pragma omp barrier
    if (thread == 0) seconds = omp_get_wtime() - start;
  }
  omp_destroy_lock(&lock);
  report("lock_hand_over", seconds / changes * 1e6, "us");
}

static void uncontended_lock(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  double seconds = 0;
#pragma omp parallel
  if (omp_get_thread_num() == 1) {
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
    const double start = omp_get_wtime();
    for (int i = 0; i < 100 * kOperations; ++i) {
      omp_set_lock(&lock);
      omp_unset_lock(&lock);
    }
    seconds = omp_get_wtime() - start;
  }
  omp_destroy_lock(&lock);
  report("uncontended_lock", seconds / (100 * kOperations) * 1e6, "us");
}

static void parallel_region(void) {
  const double start = omp_get_wtime();
  for (int i = 0; i < kOperations; ++i) {
#pragma omp parallel
    if (omp_get_thread_num() < 0) sink = 0;  // never, but the compiler can't know
  }
  report("parallel_region", (omp_get_wtime() - start) / kOperations * 1e6, "us");
}

int main(int argc, char** argv) {
  const int repetitions = argc > 1 ? atoi(argv[1]) : 5;
  if (omp_get_max_threads() != 2) {
    fprintf(stderr, "micro: needs two threads (two nodes of one), not %d\n", omp_get_max_threads());
    return 2;
  }
  misses = malloc((size_t)kMissPages * kPageBytes);
  big = malloc(kBigBytes);
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    page_miss(repetition);
    sequential_read(repetition);
    dense_write(repetition);
    barrier();
    lock_hand_over();
    uncontended_lock();
    parallel_region();
  }
  free(misses);
  free(big);
  return 0;
}
