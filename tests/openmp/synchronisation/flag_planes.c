// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Planes of a grid that threads hand over by flags, as wavefront solvers do: each thread has some
// rows of every plane, and begins with a plane when its neighbour is done with it. The flags are
// stored and cleared again, beside flushes or with release and acquire. Rows end within pages, so
// that neighbours write the same pages; sweeps go up and down, so that readers take turns.

#include <omp.h>
#include <stdatomic.h>
#include <stdint.h>

#include "../check.h"

enum { kPlanes = 9, kRows = 26, kColumns = 75, kSweeps = 12, kMostThreads = 32 };

typedef uint32_t Grid[kPlanes][kRows][kColumns];

static Grid grid, expected;
static int beside_flushes[kMostThreads][16];
static _Atomic int released[kMostThreads][16];

static void hand_over_flushed(int me) {
  int there;
#pragma omp flush
  do {
#pragma omp atomic read
    there = beside_flushes[me][0];
  } while (there == 1);
#pragma omp atomic write
  beside_flushes[me][0] = 1;
}

static void wait_flushed(int neighbour) {
  int there;
  do {
#pragma omp atomic read
    there = beside_flushes[neighbour][0];
  } while (there == 0);
#pragma omp atomic write
  beside_flushes[neighbour][0] = 0;
#pragma omp flush
}

static void hand_over_released(int me) {
  while (atomic_load_explicit(&released[me][0], memory_order_acquire) == 1) {
  }
  atomic_store_explicit(&released[me][0], 1, memory_order_release);
}

static void wait_released(int neighbour) {
  while (atomic_load_explicit(&released[neighbour][0], memory_order_acquire) == 0) {
  }
  atomic_store_explicit(&released[neighbour][0], 0, memory_order_release);
}

// Each row needs the one beside it of the same plane, on the side from which the sweep comes.
static void sweep_rows(Grid values, int plane, int first, int end, int sweep) {
  const int step = sweep % 2 == 0 ? 1 : -1;
  for (int i = 0; i < end - first; ++i) {
    const int row = step > 0 ? first + i : end - 1 - i;
    const int beside = row - step;
    for (int column = 0; column < kColumns; ++column) {
      uint32_t next = values[plane][row][column] * 5 + (uint32_t)sweep;
      if (beside >= 0 && beside < kRows) next += values[plane][beside][column] * 3;
      if (plane > 0) next ^= values[plane - 1][row][column] >> 3;
      values[plane][row][column] = next;
    }
  }
}

static void fill(Grid values) {
  for (int plane = 0; plane < kPlanes; ++plane)
    for (int row = 0; row < kRows; ++row)
      for (int column = 0; column < kColumns; ++column)
        values[plane][row][column] = (uint32_t)(plane * 7919 + row * 104729 + column);
}

static void check_planes(void (*hand_over)(int), void (*wait)(int)) {
  fill(grid);
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), size = omp_get_num_threads();
    const int first = kRows * me / size, end = kRows * (me + 1) / size;
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      const int before = sweep % 2 == 0 ? me - 1 : me + 1;
      const int after = sweep % 2 == 0 ? me + 1 : me - 1;
      for (int plane = 0; plane < kPlanes; ++plane) {
        if (before >= 0 && before < size) wait(before);
        sweep_rows(grid, plane, first, end, sweep);
        if (after >= 0 && after < size) hand_over(me);
      }
#pragma omp barrier
    }
  }
  for (int plane = 0; plane < kPlanes; ++plane)
    for (int row = 0; row < kRows; ++row)
      for (int column = 0; column < kColumns; ++column)
        EXPECT(grid[plane][row][column] == expected[plane][row][column],
               "Plane %d, row %d, column %d is %u, not %u.", plane, row, column,
               grid[plane][row][column], expected[plane][row][column]);
}

int main(void) {
  EXPECT(omp_get_max_threads() <= kMostThreads, "Too many threads for this program.");
  fill(expected);
  for (int sweep = 0; sweep < kSweeps; ++sweep)
    for (int plane = 0; plane < kPlanes; ++plane) sweep_rows(expected, plane, 0, kRows, sweep);
  check_planes(hand_over_flushed, wait_flushed);
  check_planes(hand_over_released, wait_released);
  return ok();
}
