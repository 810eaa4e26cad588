// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer sort: ranks 2^19 keys below 2^16, by 1,024 buckets. Each thread orders its own keys by
// their buckets, and ranks the keys of some buckets, which it collects from all. What it orders
// goes beside what it ordered before, which others may still read, so that one barrier is enough.
#include <omp.h>
#include <string.h>

#include "../is_kernel.h"

enum { kMostThreads = 1024 };

// The keys of a thread, in order, and how many are in each bucket.
typedef int Counts[kBuckets];
static int keys[kKeys], ordered[2][kKeys], ranks[kMaxKey];
static Counts counts[2][kMostThreads];

static int first_of(int count, int thread) {
  return (int)((long)count * thread / omp_get_num_threads());
}

static void order_keys(int thread, int* to, int* count) {
  const int begin = first_of(kKeys, thread), end = first_of(kKeys, thread + 1);
  int places[kBuckets];
  memset(count, 0, sizeof(Counts));
  for (int i = begin; i < end; ++i) ++count[keys[i] >> kShift];
  for (int bucket = 0, place = begin; bucket < kBuckets; place += count[bucket++])
    places[bucket] = place;
  for (int i = begin; i < end; ++i) to[places[keys[i] >> kShift]++] = keys[i];
}

// The keys of buckets `first` to `last` in `from`, into `to`, by bucket. Returns how many keys are
// in buckets before, and puts into `ends` where each bucket ends.
static int collect(const int* from, Counts* count, int first, int last, int* to, int* ends) {
  const int threads = omp_get_num_threads();
  int before = 0, begins[kMostThreads], place = 0;
  for (int other = 0; other < threads; ++other) {
    begins[other] = first_of(kKeys, other);
    for (int bucket = 0; bucket < first; ++bucket) begins[other] += count[other][bucket];
    before += begins[other] - first_of(kKeys, other);
  }
  for (int bucket = first; bucket < last; ends[bucket++] = place)
    for (int other = 0; other < threads; ++other) {
      const int some = count[other][bucket];
      memcpy(to + place, from + begins[other], sizeof(int) * (size_t)some);
      begins[other] += some;
      place += some;
    }
  return before;
}

// `collected` is this thread's own memory for keys.
static void rank_keys(int k, int* collected) {
  const int thread = omp_get_thread_num(), changed = k % kKeys;
  const int first = first_of(kBuckets, thread), last = first_of(kBuckets, thread + 1);
  int ends[kBuckets];
  if (first_of(kKeys, thread) <= changed && changed < first_of(kKeys, thread + 1))
    keys[changed] = changed_key(k);
  order_keys(thread, ordered[k % 2], counts[k % 2][thread]);
#pragma omp barrier
  const int before = collect(ordered[k % 2], counts[k % 2], first, last, collected, ends);
  for (int bucket = first, begin = 0; bucket < last; begin = ends[bucket++])
    rank_bucket(bucket, collected + begin, ends[bucket] - begin, before + begin,
                ranks + (bucket << kShift));
}

int main(int argc, char** argv) {
  const int iterations = bench_iterations(argc, argv);
  double start = 0, sum = 0;
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
    int* const collected = bench_allocate(sizeof keys);
    for (int i = first_of(kKeys, thread); i < first_of(kKeys, thread + 1); ++i)
      keys[i] = first_key(i);
    for (int k = 0; k < iterations; ++k) {
#pragma omp master
      if (k == iterations / 2) start = bench_clock();
      rank_keys(k, collected);
    }
  }
  const double seconds = bench_clock() - start;
  for (int key = 0; key < kMaxKey; ++key) sum += (double)ranks[key] * (key % 7 + 1);
  bench_report(iterations, seconds, sum);
}
