// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multigrid V-cycles; each rank has some planes at every level but the coarsest, whose right side
// all gather and which each then solves for itself.
#include <string.h>

#include "../bench_mpi.h"
#include "../mg_kernel.h"

static Level levels[kLevels];
static int planes[kLevels];  // of this rank; all of them at the coarsest level

static double* plane_at(double* grid, const Level* level, int z) {
  return grid + (size_t)z * plane_of(level->n);
}

static void initialise(void) {
  for (int l = 0; l < kLevels; ++l) {
    Level* level = &levels[l];
    level->n = kFinest >> l;
    planes[l] = level->n == kCoarsest ? level->n : level->n / ranks;
    const size_t bytes = sizeof(double) * plane_of(level->n) * (size_t)(planes[l] + 2);
    double** const grids[] = {&level->u, &level->next, &level->f};
    for (int g = 0; g < 3; ++g) memset(*grids[g] = bench_allocate(bytes), 0, bytes);
  }
  for (int z = 1; z <= planes[0]; ++z)
    start_plane(rank * planes[0] + z, plane_at(levels[0].u, levels, z),
                plane_at(levels[0].f, levels, z));
}

static void exchange(Level* level, int mine) {
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int down = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  const int count = (int)plane_of(level->n);
  MPI_Request requests[4];
  MPI_Irecv(plane_at(level->u, level, 0), count, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(plane_at(level->u, level, mine + 1), count, MPI_DOUBLE, down, 1, MPI_COMM_WORLD,
            &requests[1]);
  MPI_Isend(plane_at(level->u, level, 1), count, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(plane_at(level->u, level, mine), count, MPI_DOUBLE, down, 0, MPI_COMM_WORLD,
            &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void sweep(Level* level, int mine, int is_divided) {
  if (is_divided) exchange(level, mine);
  for (int z = 1; z <= mine; ++z)
    sweep_plane(level->n, plane_at(level->next, level, z), plane_at(level->u, level, z),
                plane_at(level->f, level, z));
  swap_grids(level);
}

static void cycle(int l) {
  Level* const level = &levels[l];
  if (level->n == kCoarsest) {
    for (int k = 0; k < kCoarseSweeps; ++k) sweep(level, level->n, 0);
    return;
  }
  Level* const coarse = level + 1;
  const int is_last = coarse->n == kCoarsest;
  const int made = planes[l] / 2, before = is_last ? rank * made : 0;
  sweep(level, planes[l], 1);
  sweep(level, planes[l], 1);
  exchange(level, planes[l]);
  if (is_last) memset(coarse->u, 0, sizeof(double) * plane_of(coarse->n) * (kCoarsest + 2));
  for (int z = 1; z <= made; ++z)
    restrict_plane(coarse->n, plane_at(coarse->f, coarse, before + z),
                   plane_at(coarse->u, coarse, before + z), plane_at(level->u, level, 2 * z - 1),
                   plane_at(level->f, level, 2 * z - 1));
  if (is_last)
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, plane_at(coarse->f, coarse, 1),
                  made * (int)plane_of(coarse->n), MPI_DOUBLE, MPI_COMM_WORLD);
  cycle(l + 1);
  for (int z = 1; z <= planes[l]; ++z)
    prolong_plane(level->n, plane_at(level->u, level, z),
                  plane_at(coarse->u, coarse, before + (z + 1) / 2));
  sweep(level, planes[l], 1);
  sweep(level, planes[l], 1);
}

int main(int argc, char** argv) {
  const int iterations = bench_begin(argc, argv);
  if (kCoarsest % ranks != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  initialise();
  double start = 0, sum = 0;
  for (int k = 0; k < iterations; ++k) {
    if (k == iterations / 2) start = bench_meet();
    cycle(0);
  }
  for (int z = 1; z <= planes[0]; ++z) sum += checksum_plane(plane_at(levels[0].u, levels, z));
  return bench_end(iterations, start, sum);
}
