// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multigrid for Poisson's equation on a cube of 64^3 cells, zero outside: what is done to one
// plane. A grid of n^3 cells has n + 2 planes of (n + 2)^2; the outermost are the boundary.
// Pointers to a plane reach its neighbours. Levels: 64, 32, 16 and 8; the last is solved by
// sweeping alone.
#pragma once

#include "bench.h"

enum { kFinest = 64, kCoarsest = 8, kLevels = 4, kCoarseSweeps = 24 };

typedef struct {
  int n;
  double *u, *next, *f;  // the solution, where the next sweep puts it, and the right side times h^2
} Level;

static inline size_t plane_of(int n) { return (size_t)(n + 2) * (size_t)(n + 2); }

static inline double residual_at(int n, const double* u, const double* f, int at) {
  const int line = n + 2, plane = line * line;
  return f[at] - 6 * u[at] + u[at - 1] + u[at + 1] + u[at - line] + u[at + line] + u[at - plane] +
         u[at + plane];
}

static inline void sweep_plane(int n, double* to, const double* from, const double* f) {
  for (int y = 1; y <= n; ++y)
    for (int x = 1; x <= n; ++x) {
      const int at = y * (n + 2) + x;
      to[at] = from[at] + 0.8 / 6 * residual_at(n, from, f, at);
    }
}

// The right side of one plane of the coarser grid from two planes of the finer, and no solution
// yet.
static inline void restrict_plane(int n, double* coarse_f, double* coarse_u, const double* u,
                                  const double* f) {
  const int line = 2 * n + 2, plane = line * line;
  for (int y = 1; y <= n; ++y)
    for (int x = 1; x <= n; ++x) {
      double sum = 0;
      for (int child = 0; child < 8; ++child)
        sum += residual_at(
            2 * n, u, f,
            (2 * y - 1 + (child >> 1 & 1)) * line + 2 * x - 1 + (child & 1) + (child >> 2) * plane);
      coarse_f[y * (n + 2) + x] = sum / 2;
      coarse_u[y * (n + 2) + x] = 0;
    }
}

// Adds what the coarser plane found to one plane of the finer grid, of n^2 cells.
static inline void prolong_plane(int n, double* u, const double* coarse_u) {
  for (int y = 1; y <= n; ++y)
    for (int x = 1; x <= n; ++x)
      u[y * (n + 2) + x] += coarse_u[(y + 1) / 2 * (n / 2 + 2) + (x + 1) / 2];
}

static inline void start_plane(int z, double* u, double* f) {
  for (int y = 1; y <= kFinest; ++y)
    for (int x = 1; x <= kFinest; ++x) {
      u[y * (kFinest + 2) + x] = 0;
      f[y * (kFinest + 2) + x] = bench_random((uint64_t)((z * kFinest + y) * kFinest + x)) - 0.5;
    }
}

static inline double checksum_plane(const double* u) {
  double sum = 0;
  for (int y = 1; y <= kFinest; ++y)
    for (int x = 1; x <= kFinest; ++x) sum += u[y * (kFinest + 2) + x] * (x % 7 + 1);
  return sum;
}

static inline void swap_grids(Level* level) {
  double* const was = level->u;
  level->u = level->next;
  level->next = was;
}
