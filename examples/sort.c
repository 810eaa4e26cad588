// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts records by their keys, keeping the order of equals: a sample sort.
//
//   sort [RECORDS]
//
// The records are cut into blocks, which are merge-sorted, each by a tree of tasks. Samples of the
// sorted blocks give the splitters between buckets, and each bucket then merges its part of all
// blocks. A sort that keeps the order of equals has one right answer, so the result is the same
// with any number of threads.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBlocks = 32, kBuckets = 32, kSamplesPerBlock = 64, kTaskMinimum = 4096 };

typedef struct {
  uint64_t key;
  uint64_t origin;  // the record's place before sorting
} Record;

static void die(const char* sentence) {
  fprintf(stderr, "sort: %s\n", sentence);
  exit(1);
}

static void* allocate(size_t count, size_t size) {
  void* memory = malloc(count * size + 1);
  if (!memory) die("There is not enough memory for this many records.");
  return memory;
}

static uint64_t random_at(uint64_t place) {
  uint64_t z = place * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// A quarter of the keys are drawn from a thousand values, so that there are equals to keep in
// order.
static void fill(Record* records, long count) {
#pragma omp parallel for schedule(static)
  for (long i = 0; i < count; ++i) {
    const uint64_t draw = random_at(i);
    records[i].key = draw % 4 == 0 ? draw % 1000 * 0x4189374bc6a7efu : draw;
    records[i].origin = i;
  }
}

static int before(const Record* a, const Record* b) {
  return a->key != b->key ? a->key < b->key : a->origin < b->origin;
}

static void merge(const Record* a, const Record* a_end, const Record* b, const Record* b_end,
                  Record* out) {
  while (a < a_end && b < b_end) *out++ = before(b, a) ? *b++ : *a++;
  while (a < a_end) *out++ = *a++;
  while (b < b_end) *out++ = *b++;
}

static void insertion_sort(Record* records, long count) {
  for (long i = 1; i < count; ++i) {
    const Record moving = records[i];
    long j = i;
    for (; j > 0 && before(&moving, &records[j - 1]); --j) records[j] = records[j - 1];
    records[j] = moving;
  }
}

// Large halves are sorted as a task of their own, which a thread of the team with nothing else to
// do may take.
static void merge_sort(Record* records, Record* scratch, long count) {
  if (count <= 24) {
    insertion_sort(records, count);
    return;
  }
  const long half = count / 2;
#pragma omp task if (half >= kTaskMinimum) firstprivate(records, scratch, half)
  merge_sort(records, scratch, half);
  merge_sort(records + half, scratch + half, count - half);
#pragma omp taskwait
  merge(records, records + half, records + half, records + count, scratch);
  memcpy(records, scratch, count * sizeof *records);
}

static int compare_records(const void* a, const void* b) {
  return before(a, b) ? -1 : before(b, a);
}

static long block_begin(long count, int block) { return count * block / kBlocks; }

// How many of a sorted block's records come before the splitter.
static long lower_bound(const Record* block, long size, const Record* splitter) {
  long low = 0;
  while (low < size) {
    const long middle = low + (size - low) / 2;
    if (before(&block[middle], splitter))
      low = middle + 1;
    else
      size = middle;
  }
  return low;
}

static void choose_splitters(const Record* records, long count, Record* splitters) {
  Record samples[kBlocks * kSamplesPerBlock];
  int taken = 0;
  for (int b = 0; b < kBlocks; ++b) {
    const long begin = block_begin(count, b), size = block_begin(count, b + 1) - begin;
    for (int s = 0; s < kSamplesPerBlock && s < size; ++s)
      samples[taken++] = records[begin + size * s / kSamplesPerBlock];
  }
  qsort(samples, taken, sizeof *samples, compare_records);
  for (int k = 1; k < kBuckets; ++k) splitters[k] = samples[(long)taken * k / kBuckets];
}

// Merges bucket k's part of all blocks, pairwise and in rounds, into `out`.
static void merge_bucket(const Record* records, long count, long (*cut)[kBuckets + 1], int k,
                         Record* out, long size) {
  Record* from = allocate(size, sizeof *from);
  Record* to = allocate(size, sizeof *to);
  long ends[kBlocks + 1] = {0};
  for (int b = 0; b < kBlocks; ++b) {
    const long part = cut[b][k + 1] - cut[b][k];
    memcpy(from + ends[b], records + block_begin(count, b) + cut[b][k], part * sizeof *from);
    ends[b + 1] = ends[b] + part;
  }
  for (int width = 1; width < kBlocks; width *= 2) {
    for (int b = 0; b < kBlocks; b += 2 * width)
      merge(from + ends[b], from + ends[b + width], from + ends[b + width],
            from + ends[b + 2 * width], to + ends[b]);
    Record* swap = from;
    from = to;
    to = swap;
  }
  memcpy(out, from, size * sizeof *out);
  free(from);
  free(to);
}

static void sample_sort(Record* records, long count) {
  Record* sorted = allocate(count, sizeof *sorted);
  Record splitters[kBuckets];
  static long cut[kBlocks][kBuckets + 1];  // where each block is cut into buckets
  long bucket_begin[kBuckets + 1] = {0};
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (int b = 0; b < kBlocks; ++b) {
      const long begin = block_begin(count, b);
      merge_sort(records + begin, sorted + begin, block_begin(count, b + 1) - begin);
    }
#pragma omp master
    choose_splitters(records, count, splitters);
#pragma omp barrier
#pragma omp for schedule(static)
    for (int b = 0; b < kBlocks; ++b) {
      const long begin = block_begin(count, b), size = block_begin(count, b + 1) - begin;
      cut[b][0] = 0;
      cut[b][kBuckets] = size;
      for (int k = 1; k < kBuckets; ++k)
        cut[b][k] = lower_bound(records + begin, size, &splitters[k]);
    }
#pragma omp single
    for (int k = 0; k < kBuckets; ++k) {
      bucket_begin[k + 1] = bucket_begin[k];
      for (int b = 0; b < kBlocks; ++b) bucket_begin[k + 1] += cut[b][k + 1] - cut[b][k];
    }
#pragma omp for schedule(guided)
    for (int k = 0; k < kBuckets; ++k)
      merge_bucket(records, count, cut, k, sorted + bucket_begin[k],
                   bucket_begin[k + 1] - bucket_begin[k]);
#pragma omp for schedule(static)
    for (long i = 0; i < count; ++i) records[i] = sorted[i];
  }
  free(sorted);
}

static void verify(const Record* records, long count) {
  long disorder = 0, foreign = 0;
  uint64_t origins = 0;
#pragma omp parallel for reduction(+ : disorder, foreign) reduction(^ : origins)
  for (long i = 0; i < count; ++i) {
    if (i > 0) disorder += !before(&records[i - 1], &records[i]);
    const uint64_t draw = random_at(records[i].origin);
    foreign += records[i].key != (draw % 4 == 0 ? draw % 1000 * 0x4189374bc6a7efu : draw);
    origins ^= random_at(records[i].origin) ^ random_at(i);
  }
  if (disorder) die("The records are not in order.");
  if (foreign || origins) die("The records are not those that went in.");
}

int main(int argc, char** argv) {
  const long count = argc > 1 ? atol(argv[1]) : 6000000;
  if (argc > 2 || count < 1) die("Usage: sort [RECORDS]");
  Record* records = allocate(count, sizeof *records);
  fill(records, count);
  sample_sort(records, count);
  verify(records, count);
  uint64_t hash = 14695981039346656037u;
  for (long i = 0; i < count; ++i)
    hash = ((hash ^ records[i].key) * 1099511628211u ^ records[i].origin) * 1099511628211u;
  printf("sort: %ld records\n", count);
  printf("checksum: %016llx\n", (unsigned long long)hash);
  printf("sort: verified\n");
  free(records);
  return 0;
}
