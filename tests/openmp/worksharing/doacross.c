// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose iterations wait for others: in one dimension, in two, downwards, with every schedule.

#include <omp.h>

#include "../check.h"

enum { kLength = 60, kSide = 14 };

static long line[kLength];
static long grid[kSide][kSide];

static void in_one_dimension(void) {
  for (int round = 0; round < 3; ++round) {
    line[0] = 1;
#pragma omp parallel
    {
#pragma omp for ordered(1) schedule(static, 1) nowait
      for (int i = 1; i < kLength; ++i) {
#pragma omp ordered depend(sink : i - 1)
        line[i] = line[i - 1] + i;
#pragma omp ordered depend(source)
      }
    }
    for (int i = 1; i < kLength; ++i) {
      EXPECT(line[i] == line[i - 1] + i, "Element %d is %ld.", i, line[i]);
    }
  }
}

static void downwards_by_dynamic(void) {
  line[kLength - 1] = 1;
#pragma omp parallel for ordered(1) schedule(dynamic, 2)
  for (int i = kLength - 2; i >= 0; i -= 1) {
#pragma omp ordered depend(sink : i + 1)
    line[i] = line[i + 1] + 2;
#pragma omp ordered depend(source)
  }
  EXPECT(line[0] == 1 + 2 * (kLength - 1), "The sum is %ld.", line[0]);
}

static void in_two_dimensions(void) {
  for (int i = 0; i < kSide; ++i) grid[i][0] = grid[0][i] = 1;
#pragma omp parallel for ordered(2) schedule(static, 1)
  for (int i = 1; i < kSide; ++i) {
    for (int j = 1; j < kSide; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      grid[i][j] = (grid[i - 1][j] + grid[i][j - 1]) % 1000003;
#pragma omp ordered depend(source)
    }
  }
  for (int i = 1; i < kSide; ++i) {
    for (int j = 1; j < kSide; ++j) {
      EXPECT(grid[i][j] == (grid[i - 1][j] + grid[i][j - 1]) % 1000003, "(%d, %d) is %ld.", i, j,
             grid[i][j]);
    }
  }
}

// Blocks, chunks of several iterations, more than one loop under way, and a loop that is shared out
// in two dimensions at once: who has which iteration differs in each.
static void by_blocks_and_chunks(void) {
  static long a[kLength], b[kLength], c[kSide][kSide];
#pragma omp parallel
  {
#pragma omp for ordered(1) schedule(static) nowait
    for (int i = 0; i < kLength; ++i) {
#pragma omp ordered depend(sink : i - 3)
      a[i] = i < 3 ? 1 : a[i - 3] + 1;
#pragma omp ordered depend(source)
    }
#pragma omp for ordered(1) schedule(static, 4) nowait
    for (int i = 0; i < kLength; ++i) {
#pragma omp ordered depend(sink : i - 1) depend(sink : i - 5)
      b[i] = (i < 1 ? 0 : b[i - 1]) + (i < 5 ? 1 : b[i - 5]) % 1000003;
#pragma omp ordered depend(source)
    }
#pragma omp for collapse(2) ordered(2) schedule(static, 2)
    for (int i = 0; i < kSide; ++i) {
      for (int j = 0; j < kSide; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
        c[i][j] = (i > 0 ? c[i - 1][j] : 1) + (j > 0 ? c[i][j - 1] : 1);
#pragma omp ordered depend(source)
      }
    }
  }
  for (int i = 0; i < kLength; ++i) {
    EXPECT(a[i] == i / 3 + 1, "In blocks, element %d is %ld.", i, a[i]);
    const long expected = (i < 1 ? 0 : b[i - 1]) + (i < 5 ? 1 : b[i - 5]) % 1000003;
    EXPECT(b[i] == expected, "In chunks, element %d is %ld.", i, b[i]);
  }
  for (int i = 1; i < kSide; ++i) {
    for (int j = 1; j < kSide; ++j) {
      EXPECT(c[i][j] == c[i - 1][j] + c[i][j - 1], "Collapsed, (%d, %d) is %ld.", i, j, c[i][j]);
    }
  }
}

// Rows that are far longer than a thread has turns.
static void many_iterations(void) {
  enum { kMany = 60 };
  static int wave[kMany][kMany];
  for (int i = 0; i < kMany; ++i) wave[i][0] = wave[0][i] = i;
#pragma omp parallel for ordered(2)
  for (int i = 1; i < kMany; ++i) {
    for (int j = 1; j < kMany; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      wave[i][j] = wave[i - 1][j] + wave[i][j - 1] - wave[i - 1][j - 1];
#pragma omp ordered depend(source)
    }
  }
  EXPECT(wave[kMany - 1][kMany - 1] == 2 * (kMany - 1), "The corner is %d.",
         wave[kMany - 1][kMany - 1]);
}

static void by_every_schedule(void) {
  enum { kRows = 23, kColumns = 40 };
  static int wave[kRows][kColumns];
  const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided,
                               omp_sched_auto};
  for (int round = 0; round < 8; ++round) {
    omp_set_schedule(kinds[round / 2], round % 2 == 0 ? 0 : 3);
#pragma omp parallel for ordered(2) schedule(runtime)
    for (int i = 0; i < kRows; ++i) {
      for (int j = 0; j < kColumns; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
        wave[i][j] = (i > 0 ? wave[i - 1][j] : round) + (j > 0 ? wave[i][j - 1] : i) % 101;
#pragma omp ordered depend(source)
      }
    }
    for (int i = 1; i < kRows; ++i) {
      for (int j = 1; j < kColumns; ++j) {
        const int expected = wave[i - 1][j] + wave[i][j - 1] % 101;
        EXPECT(wave[i][j] == expected, "Round %d: (%d, %d) is %d.", round, i, j, wave[i][j]);
      }
    }
  }
}

// Chunks of which only the first half posts and waits.
static void few_sources(void) {
  enum { kChunk = 8, kMany = 50 * kChunk };
  static int chain[kMany];
#pragma omp parallel for ordered(1) schedule(static, 8)
  for (int i = 0; i < kMany; ++i) {
    if (i % kChunk < kChunk / 2) {
#pragma omp ordered depend(sink : i - 8)
      chain[i] = i < kChunk ? i : chain[i - kChunk] + 1;
#pragma omp ordered depend(source)
    }
  }
  for (int i = 0; i < kMany; ++i) {
    const int expected = i % kChunk < kChunk / 2 ? i % kChunk + i / kChunk : 0;
    EXPECT(chain[i] == expected, "Element %d is %d, not %d.", i, chain[i], expected);
  }
}

// Iterations that share a lock: one that holds it may wait for what another, which wants it, has
// posted.
static void under_a_lock(void) {
  enum { kMany = 400 };
  static long sums[kMany];
  static omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel for ordered(1) schedule(dynamic, 5)
  for (int i = 0; i < kMany; ++i) {
#pragma omp ordered depend(sink : i - 1)
    sums[i] = (i > 0 ? sums[i - 1] : 0) + i;
#pragma omp ordered depend(source)
    omp_set_lock(&lock);
    sums[i] += 0;
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  EXPECT(sums[kMany - 1] == kMany * (kMany - 1L) / 2, "The sum is %ld.", sums[kMany - 1]);
}

// Far more iterations than messages could be sent for.
static void short_iterations(void) {
  enum { kWide = 400 };
  static int wave[kWide][kWide];
  for (int i = 0; i < kWide; ++i) wave[i][0] = wave[0][i] = i;
#pragma omp parallel for ordered(2)
  for (int i = 1; i < kWide; ++i) {
    for (int j = 1; j < kWide; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      wave[i][j] = wave[i - 1][j] + wave[i][j - 1] - wave[i - 1][j - 1];
#pragma omp ordered depend(source)
    }
  }
  for (int i = 0; i < kWide; ++i)
    EXPECT(wave[i][kWide - 1] == kWide - 1 + i, "Row %d ends with %d.", i, wave[i][kWide - 1]);
}

int main(void) {
  in_one_dimension();
  by_every_schedule();
  few_sources();
  under_a_lock();
  short_iterations();
  by_blocks_and_chunks();
  many_iterations();
  downwards_by_dynamic();
  in_two_dimensions();
  return ok();
}
