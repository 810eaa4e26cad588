// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keys of the integer sort, and how those of one bucket are ranked.
#pragma once

#include <string.h>

#include "bench.h"

enum { kKeys = 1 << 19, kMaxKey = 1 << 16, kBuckets = 1 << 10, kShift = 6 };
enum { kBucketKeys = 1 << kShift };

static inline int first_key(int i) { return (int)(bench_random((uint64_t)i) * kMaxKey); }
// One key changes before each ranking, so that every ranking has something to do.
static inline int changed_key(int k) { return (k * 977) % kMaxKey; }

// ranks[key] becomes the number of keys that are not above it.
static inline void rank_bucket(int bucket, const int* keys, int count, int before, int* ranks) {
  int counts[kBucketKeys] = {0};
  for (int i = 0; i < count; ++i) ++counts[keys[i] - (bucket << kShift)];
  for (int key = 0; key < kBucketKeys; ++key) ranks[key] = before += counts[key];
}
