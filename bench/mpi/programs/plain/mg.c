// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multigrid V-cycles: a parallel loop over the planes for each step of each level, the coarsest
// included.
#include <string.h>

#include "../mg_kernel.h"

static Level levels[kLevels];

static double* new_grid(int n) {
  const size_t bytes = sizeof(double) * plane_of(n) * (size_t)(n + 2);
  return memset(bench_allocate(bytes), 0, bytes);
}

static double* plane_at(double* grid, int n, int z) { return grid + (size_t)z * plane_of(n); }

static void initialise(void) {
  for (int l = 0; l < kLevels; ++l) {
    const int n = kFinest >> l;
    levels[l] = (Level){n, new_grid(n), new_grid(n), new_grid(n)};
  }
#pragma omp parallel for
  for (int z = 1; z <= kFinest; ++z)
    start_plane(z, plane_at(levels[0].u, kFinest, z), plane_at(levels[0].f, kFinest, z));
}

static void sweep(Level* level) {
  const int n = level->n;
#pragma omp parallel for
  for (int z = 1; z <= n; ++z)
    sweep_plane(n, plane_at(level->next, n, z), plane_at(level->u, n, z), plane_at(level->f, n, z));
  swap_grids(level);
}

static void restrict_to(Level* coarse, const Level* level) {
  const int n = coarse->n;
#pragma omp parallel for
  for (int z = 1; z <= n; ++z)
    restrict_plane(n, plane_at(coarse->f, n, z), plane_at(coarse->u, n, z),
                   plane_at(level->u, level->n, 2 * z - 1),
                   plane_at(level->f, level->n, 2 * z - 1));
}

static void prolong_from(const Level* coarse, Level* level) {
  const int n = level->n;
#pragma omp parallel for
  for (int z = 1; z <= n; ++z)
    prolong_plane(n, plane_at(level->u, n, z), plane_at(coarse->u, coarse->n, (z + 1) / 2));
}

static void cycle(Level* level) {
  if (level->n == kCoarsest) {
    for (int k = 0; k < kCoarseSweeps; ++k) sweep(level);
    return;
  }
  Level* const coarse = level + 1;
  sweep(level);
  sweep(level);
  restrict_to(coarse, level);
  cycle(coarse);
  prolong_from(coarse, level);
  sweep(level);
  sweep(level);
}

int main(int argc, char** argv) {
  const int iterations = bench_iterations(argc, argv);
  double start = 0, sum = 0;
  initialise();
  for (int k = 0; k < iterations; ++k) {
    if (k == iterations / 2) start = bench_clock();
    cycle(levels);
  }
  const double seconds = bench_clock() - start;
#pragma omp parallel for reduction(+ : sum)
  for (int z = 1; z <= kFinest; ++z) sum += checksum_plane(plane_at(levels[0].u, kFinest, z));
  bench_report(iterations, seconds, sum);
}
