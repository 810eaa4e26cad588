// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multigrid V-cycles; planes are divided at every level but the coarsest, which one thread solves.
#include <string.h>

#include "mg_kernel.h"

static Level initial_levels[kLevels];

static void initialise(void) {
  for (int l = 0; l < kLevels; ++l) {
    Level* level = &initial_levels[l];
    level->n = kFinest >> l;
    const size_t bytes = sizeof(double) * plane_of(level->n) * (size_t)(level->n + 2);
    double** const grids[] = {&level->u, &level->next, &level->f};
    for (int g = 0; g < 3; ++g) memset(*grids[g] = bench_allocate(bytes), 0, bytes);
  }
#pragma omp parallel for schedule(static)
  for (int z = 1; z <= kFinest; ++z)
    start_plane(z, initial_levels[0].u + (size_t)z * plane_of(kFinest),
                initial_levels[0].f + (size_t)z * plane_of(kFinest));
}

// From here on: called by all threads, each with its own copy of the pointers.
static void sweep(Level* level) {
  const size_t plane = plane_of(level->n);
#pragma omp for schedule(static)
  for (int z = 1; z <= level->n; ++z)
    sweep_plane(level->n, level->next + (size_t)z * plane, level->u + (size_t)z * plane,
                level->f + (size_t)z * plane);
  swap_grids(level);
}

static void solve_coarsest(Level* level) {
  const size_t plane = plane_of(level->n);
#pragma omp single
  for (int k = 0; k < kCoarseSweeps; ++k) {  // an even number: the solution ends where it began
    double* const from = k % 2 ? level->next : level->u;
    double* const to = k % 2 ? level->u : level->next;
    for (int z = 1; z <= level->n; ++z)
      sweep_plane(level->n, to + (size_t)z * plane, from + (size_t)z * plane,
                  level->f + (size_t)z * plane);
  }
}

static void cycle(Level* level) {
  if (level->n == kCoarsest) return solve_coarsest(level);
  Level* const coarse = level + 1;
  const size_t plane = plane_of(level->n), coarse_plane = plane_of(coarse->n);
  sweep(level);
  sweep(level);
#pragma omp for schedule(static)
  for (int z = 1; z <= coarse->n; ++z)
    restrict_plane(coarse->n, coarse->f + (size_t)z * coarse_plane,
                   coarse->u + (size_t)z * coarse_plane, level->u + (size_t)(2 * z - 1) * plane,
                   level->f + (size_t)(2 * z - 1) * plane);
  cycle(coarse);
#pragma omp for schedule(static)
  for (int z = 1; z <= level->n; ++z)
    prolong_plane(level->n, level->u + (size_t)z * plane,
                  coarse->u + (size_t)((z + 1) / 2) * coarse_plane);
  sweep(level);
  sweep(level);
}

int main(int argc, char** argv) {
  const int iterations = bench_iterations(argc, argv);
  double start = 0, sum = 0;
  initialise();
#pragma omp parallel
  {
    Level levels[kLevels];
    memcpy(levels, initial_levels, sizeof levels);
    for (int k = 0; k < iterations; ++k) {
#pragma omp master
      if (k == iterations / 2) start = bench_clock();
      cycle(levels);
    }
  }
  const double seconds = bench_clock() - start;
  // A cycle sweeps an even number of times at each level, so the solution is where it was.
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int z = 1; z <= kFinest; ++z)
    sum += checksum_plane(initial_levels[0].u + (size_t)z * plane_of(kFinest));
  bench_report(iterations, seconds, sum);
}
