// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multigrid V-cycles; planes are divided at every level but the coarsest, which each thread solves
// for itself. A thread's planes lie under those that it has at the next finer level, so that there
// is no barrier where only those are used.
#include <omp.h>
#include <string.h>

#include "../mg_kernel.h"

static Level initial_levels[kLevels];

static double* new_grid(int n) {
  const size_t bytes = sizeof(double) * plane_of(n) * (size_t)(n + 2);
  return memset(bench_allocate(bytes), 0, bytes);
}

static void initialise(void) {
  for (int l = 0; l < kLevels; ++l) {
    const int n = kFinest >> l;
    initial_levels[l] = (Level){n, new_grid(n), new_grid(n), new_grid(n)};
  }
#pragma omp parallel for schedule(static)
  for (int z = 1; z <= kFinest; ++z)
    start_plane(z, initial_levels[0].u + (size_t)z * plane_of(kFinest),
                initial_levels[0].f + (size_t)z * plane_of(kFinest));
}

// From here on: called by all threads, each with its own copy of the pointers.

// The first plane of thread `thread`; n is that of a level.
static int first_plane(int n, int thread) {
  return 1 + n / kCoarsest * (kCoarsest * thread / omp_get_num_threads());
}

static void sweep(Level* level, int first, int last) {
  const size_t plane = plane_of(level->n);
  for (int z = first; z < last; ++z)
    sweep_plane(level->n, level->next + (size_t)z * plane, level->u + (size_t)z * plane,
                level->f + (size_t)z * plane);
  swap_grids(level);
}

static void solve_coarsest(Level* level) {
  memset(level->u, 0, sizeof(double) * plane_of(level->n) * (size_t)(level->n + 2));
  for (int k = 0; k < kCoarseSweeps; ++k) sweep(level, 1, level->n + 1);
}

static void cycle(Level* level) {
  if (level->n == kCoarsest) return solve_coarsest(level);
  Level* const coarse = level + 1;
  const size_t plane = plane_of(level->n), coarse_plane = plane_of(coarse->n);
  const int thread = omp_get_thread_num();
  const int first = first_plane(level->n, thread), last = first_plane(level->n, thread + 1);
  for (int k = 0; k < 2; ++k) {
    sweep(level, first, last);
#pragma omp barrier
  }
  for (int z = first_plane(coarse->n, thread); z < first_plane(coarse->n, thread + 1); ++z)
    restrict_plane(coarse->n, coarse->f + (size_t)z * coarse_plane,
                   coarse->u + (size_t)z * coarse_plane, level->u + (size_t)(2 * z - 1) * plane,
                   level->f + (size_t)(2 * z - 1) * plane);
#pragma omp barrier
  cycle(coarse);
  for (int z = first; z < last; ++z)
    prolong_plane(level->n, level->u + (size_t)z * plane,
                  coarse->u + (size_t)((z + 1) / 2) * coarse_plane);
#pragma omp barrier
  sweep(level, first, last);
#pragma omp barrier
  sweep(level, first, last);
  if (level->n == kFinest) {
#pragma omp barrier
  }
}

int main(int argc, char** argv) {
  const int iterations = bench_iterations(argc, argv);
  double start = 0, sum = 0;
  initialise();
#pragma omp parallel
  {
    Level levels[kLevels];
    memcpy(levels, initial_levels, sizeof levels);
    Level* const coarsest = &levels[kLevels - 1];
    coarsest->u = new_grid(kCoarsest);
    coarsest->next = new_grid(kCoarsest);
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
