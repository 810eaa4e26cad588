// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that loops and copies overwrite whole, or only seem to: each byte is as on one node. Node
// 0 fills them first, so that others would have to fetch, and afterwards all threads look at all.

#include <omp.h>
#include <string.h>

#include "../check.h"

enum { kCount = 60000, kRows = 300, kColumns = 200 };

struct record {
  double x, y;
  int n, m;
};

static double a[kCount + 8], b[kCount + 8], grid[kRows][kColumns], other[kRows][kColumns];
static struct record records[kCount];
static unsigned char bytes[4 * kCount];
static long turn;  // in each step another value, so that nothing left over looks right

static double value(long i) { return 1000.0 * turn + i % 977; }

static void fill(void) {
#pragma omp barrier
#pragma omp single
  {
    ++turn;
    for (int i = 0; i < kCount + 8; i++) a[i] = b[i] = value(i);
    for (int i = 0; i < kRows * kColumns; i++) (&grid[0][0])[i] = (&other[0][0])[i] = value(i);
    for (int i = 0; i < kCount; i++) records[i] = (struct record){value(i), -value(i), i, -i};
    for (int i = 0; i < 4 * kCount; i++) bytes[i] = (unsigned char)(i % 251 + turn);
  }
}

#define EXPECT_ALL(count, found, expected)                                                   \
  do {                                                                                       \
    _Pragma("omp barrier") for (long i = 0; i < (count); i++)                                \
        EXPECT((found) == (expected), "%s of %ld is %g, not %g", #found, i, (double)(found), \
               (double)(expected));                                                          \
  } while (0)

// The compiler knows nothing of where these point. Each is called by every thread with its share.
static __attribute__((noinline)) void set(double* to, long count, double v) {
  for (long i = 0; i < count; i++) to[i] = v;
}
static __attribute__((noinline)) void set_downwards(double* to, long count, double v) {
  for (long i = count - 1; i >= 0; i--) to[i] = v;
}
static __attribute__((noinline)) void add_one(double* to, const double* from, long count) {
  for (long i = 0; i < count; i++) to[i] = from[i] + 1;
}
static __attribute__((noinline)) void copy_behind(double* p, long count) {
  for (long i = 1; i < count; i++) p[i] = p[i - 1];
}
static __attribute__((noinline)) void copy_ahead(double* p, long count) {
  for (long i = 0; i < count; i++) p[i] = p[i + 1];
}
static __attribute__((noinline)) void make_rows(long rows, long columns, long width, double* p) {
  for (long i = 0; i < rows; i++)
    for (long j = 0; j < columns; j++) p[i * width + j] = i - j;
}
static __attribute__((noinline)) void set_some(double* p, const double* q, long count) {
  for (long i = 0; i < count; i++)
    if (((long)q[i] & 1) == 0) p[i] = -1;
}

static void whole_arrays(void) {
  fill();
#pragma omp for
  for (int i = 0; i < kCount; i++) a[i] = 2 * b[i] + i;
  EXPECT_ALL(kCount, a[i], 2 * value(i) + i);
  fill();
#pragma omp for schedule(static, 10000)
  for (int i = 0; i < kCount; i++) a[i] = i;
  EXPECT_ALL(kCount, a[i], i);
  fill();
#pragma omp for schedule(dynamic, 9000)
  for (int i = 0; i < kCount; i++) a[i] = -b[i + 8];
  EXPECT_ALL(kCount, a[i], -value(i + 8));
  fill();
#pragma omp for
  for (int i = 0; i < kCount; i++) {
    records[i].n = 3 * i;
    records[i].m = 4 * i;
    records[i].x = i;
    records[i].y = -i;
  }
  EXPECT_ALL(kCount, records[i].n + records[i].m + records[i].x - records[i].y, 9.0 * i);
}

static void parts_of_arrays(void) {
  fill();
#pragma omp for
  for (int i = 0; i < kCount; i++) records[i].y = i;
  EXPECT_ALL(kCount, records[i].x + records[i].y, value(i) + i);
  fill();
#pragma omp for
  for (int i = 0; i < kCount; i += 2) a[i] = i;
  EXPECT_ALL(kCount, a[i], i % 2 == 0 ? i : value(i));
  fill();
#pragma omp single
  {
    set(a + 3, kCount / 2, 5);
    set_downwards(a + kCount / 2 + 5, kCount / 2 - 100, 6);
    set_some(b, a, kCount);
  }
  EXPECT_ALL(kCount, a[i],
             i < 3 || i >= kCount - 95 ? value(i)
             : i < 3 + kCount / 2      ? 5
             : i < kCount / 2 + 5      ? value(i)
                                       : 6);
  EXPECT_ALL(kCount, b[i], ((long)a[i] & 1) == 0 ? -1 : value(i));
}

static void nests(void) {
  fill();
#pragma omp for
  for (int i = 0; i < kRows; i++)
    for (int j = 0; j < kColumns; j++) grid[i][j] = other[i][j] + i;
  EXPECT_ALL(kRows * kColumns, (&grid[0][0])[i], value(i) + i / kColumns);
  fill();
#pragma omp for collapse(2)
  for (int i = 0; i < kRows; i++)
    for (int j = 0; j < kColumns; j++) grid[i][j] = other[i][j] - j;
  EXPECT_ALL(kRows * kColumns, (&grid[0][0])[i], value(i) - i % kColumns);
  fill();
#pragma omp for
  for (int i = 1; i < kRows - 1; i++)
    for (int j = 1; j < kColumns - 1; j++) grid[i][j] = other[i - 1][j] + other[i][j + 1];
  for (int i = 0; i < kRows; i++) {
    for (int j = 0; j < kColumns; j++) {
      const long at = (long)i * kColumns + j;
      const int inside = i > 0 && i < kRows - 1 && j > 0 && j < kColumns - 1;
      const double expected = inside ? value(at - kColumns) + value(at + 1) : value(at);
      EXPECT(grid[i][j] == expected, "grid[%d][%d] is %g, not %g", i, j, grid[i][j], expected);
    }
  }
  // Rows without gaps, with gaps, and none.
  fill();
#pragma omp single
  {
    make_rows(kRows, kColumns, kColumns, &grid[0][0]);
    make_rows(kRows, kColumns - 1, kColumns, &other[0][0]);
    make_rows(kRows, 0, kColumns, a);
    make_rows(0, kColumns, kColumns, a);
  }
  EXPECT_ALL(kRows * kColumns, (&grid[0][0])[i], i / kColumns - i % kColumns);
  EXPECT_ALL(kRows * kColumns, (&other[0][0])[i],
             i % kColumns == kColumns - 1 ? value(i) : i / kColumns - i % kColumns);
  EXPECT_ALL(kCount, a[i], value(i));
}

static void sources_that_overlap(void) {
  fill();
#pragma omp single
  {
    add_one(a, b, kCount);
    add_one(b, b + 1, kCount);
  }
  EXPECT_ALL(kCount, a[i] + b[i], value(i) + 1 + value(i + 1) + 1);
  fill();
#pragma omp single
  {
    add_one(b, b, kCount);
    add_one(a + 1, a, kCount);
  }
  EXPECT_ALL(kCount, b[i], value(i) + 1);
  EXPECT_ALL(kCount, a[i], value(0) + i);
  fill();
#pragma omp single
  {
    copy_behind(a, kCount);
    copy_ahead(b, kCount);
  }
  EXPECT_ALL(kCount, a[i], value(0));
  EXPECT_ALL(kCount, b[i], value(i + 1));
}

static void copies(void) {
  fill();
#pragma omp single
  {
    memset(bytes + 100, 7, kCount);
    memcpy(bytes + kCount + 200, a, 2 * kCount);
    memmove(b + 5, b, kCount * sizeof *b);
    memmove(a, a + 5, (kCount - 5) * sizeof *a);
    memmove(records, records, sizeof records);
  }
  EXPECT_ALL(kCount, bytes[i], i < 100 ? (unsigned char)(i % 251 + turn) : 7);
  EXPECT_ALL(kCount - 5, a[i], value(i + 5));
  EXPECT_ALL(kCount, b[i], i < 5 ? value(i) : value(i - 5));
  EXPECT_ALL(kCount, records[i].x, value(i));
  double first;
  memcpy(&first, bytes + kCount + 200, sizeof first);
  EXPECT(first == value(0), "The copy begins with %g.", first);
  EXPECT(bytes[kCount + 100] == (unsigned char)((kCount + 100) % 251 + turn),
         "The byte behind the range is %d.", bytes[kCount + 100]);
}

int main(void) {
#pragma omp parallel
  for (int i = 0; i < 3; i++) {
    whole_arrays();
    parts_of_arrays();
    nests();
    sources_that_overlap();
    copies();
  }
  return ok();
}
