// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer sort: ranks 2^19 keys below 2^16, by 1,024 buckets. Each rank has some keys, sends them
// to the ranks that have their buckets, and ranks those that it gets.
#include "../bench_mpi.h"
#include "../is_kernel.h"

static int *keys, *sent, *received, *key_ranks;
static int to_send[1024], send_at[1024], to_receive[1024], receive_at[1024];
static int first, mine, first_bucket, buckets;

static void initialise(void) {
  first = bench_first(kKeys, rank);
  mine = bench_first(kKeys, rank + 1) - first;
  first_bucket = bench_first(kBuckets, rank);
  buckets = bench_first(kBuckets, rank + 1) - first_bucket;
  keys = bench_allocate(sizeof(int) * kKeys);
  sent = bench_allocate(sizeof(int) * kKeys);
  received = bench_allocate(sizeof(int) * kKeys);
  key_ranks = bench_allocate(sizeof(int) * kMaxKey);
  for (int i = 0; i < mine; ++i) keys[i] = first_key(first + i);
}

// In order of their buckets, so that what goes to a rank is together. `counts` is zero.
static void put_into_buckets(int from_count, const int* from, int* to, int* counts, int* places) {
  for (int i = 0; i < from_count; ++i) ++counts[from[i] >> kShift];
  for (int bucket = 0, place = 0; bucket < kBuckets; place += counts[bucket++])
    places[bucket] = place;
  for (int i = 0; i < from_count; ++i) to[places[from[i] >> kShift]++] = from[i];
}

static int exchange(const int* counts) {
  int total = 0;
  for (int other = 0, place = 0; other < ranks; place += to_send[other++]) {
    send_at[other] = place;
    to_send[other] = 0;
    for (int b = bench_first(kBuckets, other); b < bench_first(kBuckets, other + 1); ++b)
      to_send[other] += counts[b];
  }
  MPI_Alltoall(to_send, 1, MPI_INT, to_receive, 1, MPI_INT, MPI_COMM_WORLD);
  for (int other = 0; other < ranks; total += to_receive[other++]) receive_at[other] = total;
  MPI_Alltoallv(sent, to_send, send_at, MPI_INT, received, to_receive, receive_at, MPI_INT,
                MPI_COMM_WORLD);
  return total;
}

static void rank_keys(int k) {
  int counts[kBuckets] = {0}, new_counts[kBuckets] = {0}, places[kBuckets], before = 0;
  const int changed = k % kKeys - first;
  if (changed >= 0 && changed < mine) keys[changed] = changed_key(k);
  put_into_buckets(mine, keys, sent, counts, places);
  const int total = exchange(counts);
  MPI_Exscan(&total, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) before = 0;
  put_into_buckets(total, received, sent, new_counts, places);  // places: now the buckets' ends
  for (int b = first_bucket; b < first_bucket + buckets; ++b) {
    const int begin = places[b] - new_counts[b];
    rank_bucket(b, sent + begin, new_counts[b], before + begin, key_ranks + (b << kShift));
  }
}

int main(int argc, char** argv) {
  const int iterations = bench_begin(argc, argv);
  double start = 0, sum = 0;
  initialise();
  for (int k = 0; k < iterations; ++k) {
    if (k == iterations / 2) start = bench_meet();
    rank_keys(k);
  }
  for (int key = first_bucket << kShift; key < (first_bucket + buckets) << kShift; ++key)
    sum += (double)key_ranks[key] * (key % 7 + 1);
  return bench_end(iterations, start, sum);
}
