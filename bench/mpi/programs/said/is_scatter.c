// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer sort: ranks 2^19 keys below 2^16, by 1,024 buckets. Each thread counts its keys, puts
// them into their buckets, and ranks the keys of some buckets: as RADIX of SPLASH does with each
// digit. It says to Weft what it is about to use, and what it has written for good.
#include <omp.h>
#include <string.h>
#include <weft/weft.h>

#include "../is_kernel.h"

enum { kMostThreads = 1024 };

static int keys[kKeys], bucketed[kKeys], ranks[kMaxKey];
static int counts[kMostThreads][kBuckets];

// Where this thread puts the first key of each bucket.
static void places_for(int thread, int threads, int* places) {
  int place = 0;
  for (int bucket = 0; bucket < kBuckets; ++bucket) {
    for (int other = 0; other < threads; ++other) {
      if (other == thread) places[bucket] = place;
      place += counts[other][bucket];
    }
  }
}

static void rank_keys(int k) {
  const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
  int places[kBuckets + 1], count[kBuckets] = {0};
#pragma omp for schedule(static)
  for (int i = 0; i < kKeys; ++i) {
    if (i == k % kKeys) keys[i] = changed_key(k);
    ++count[keys[i] >> kShift];
  }
  memcpy(counts[thread], count, sizeof count);
#pragma omp barrier
  weft_check_out(counts, sizeof counts[0] * (size_t)threads, WEFT_READ);
  places_for(thread, threads, places);
  weft_check_out(bucketed, sizeof bucketed, WEFT_WRITE);
#pragma omp for schedule(static) nowait
  for (int i = 0; i < kKeys; ++i) bucketed[places[keys[i] >> kShift]++] = keys[i];
  weft_commit(bucketed, sizeof bucketed);
#pragma omp barrier
  places_for(0, threads, places);  // the buckets' beginnings
  places[kBuckets] = kKeys;
  const int first = places[kBuckets * thread / threads],
            end = places[kBuckets * (thread + 1) / threads];
  weft_check_out(&bucketed[first], sizeof bucketed[0] * (size_t)(end - first), WEFT_READ);
#pragma omp for schedule(static)
  for (int bucket = 0; bucket < kBuckets; ++bucket)
    rank_bucket(bucket, bucketed + places[bucket], places[bucket + 1] - places[bucket],
                places[bucket], ranks + (bucket << kShift));
}

int main(int argc, char** argv) {
  const int iterations = bench_iterations(argc, argv);
  double start = 0, sum = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < kKeys; ++i) keys[i] = first_key(i);
    for (int k = 0; k < iterations; ++k) {
#pragma omp master
      if (k == iterations / 2) start = bench_clock();
      rank_keys(k);
    }
  }
  const double seconds = bench_clock() - start;
  for (int key = 0; key < kMaxKey; ++key) sum += (double)ranks[key] * (key % 7 + 1);
  bench_report(iterations, seconds, sum);
}
