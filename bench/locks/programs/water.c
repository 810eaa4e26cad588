// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sharing as in Water of SPLASH: 512 molecules, divided among the threads. Each thread computes the
// forces between its molecules and the half of the others that follow them, adds them up for
// itself, and adds the sums to the shared ones under a lock for each part. 10 steps, if none are
// asked for.
#include <math.h>
#include <omp.h>
#include <string.h>

#include "../../mpi/programs/bench.h"

enum { kMolecules = 512, kMostParts = 64 };
typedef struct {
  double position[3], velocity[3], force[3];
} Molecule;

static Molecule molecules[kMolecules];
static omp_lock_t locks[kMostParts];

static int part_begin(int part, int parts) { return kMolecules * part / parts; }

static void add_forces(int i, int j, double forces[kMolecules][3]) {
  double apart[3], squared = 0.01;
  for (int d = 0; d < 3; ++d) {
    apart[d] = molecules[j].position[d] - molecules[i].position[d];
    squared += apart[d] * apart[d];
  }
  const double strength = 1 / (squared * sqrt(squared));
  for (int d = 0; d < 3; ++d) {
    forces[i][d] += strength * apart[d];
    forces[j][d] -= strength * apart[d];
  }
}

static void add_to_part(int part, int parts, double forces[kMolecules][3]) {
  omp_set_lock(&locks[part]);
  for (int i = part_begin(part, parts); i < part_begin(part + 1, parts); ++i)
    for (int d = 0; d < 3; ++d) molecules[i].force[d] += forces[i][d];
  omp_unset_lock(&locks[part]);
}

static void move(Molecule* molecule) {
  for (int d = 0; d < 3; ++d) {
    molecule->velocity[d] += 1e-7 * molecule->force[d];
    molecule->position[d] += molecule->velocity[d];
    molecule->force[d] = 0;
  }
}

static void step(void) {
  double forces[kMolecules][3];
  const int part = omp_get_thread_num(), parts = omp_get_num_threads();
  const int begin = part_begin(part, parts), end = part_begin(part + 1, parts);
  memset(forces, 0, sizeof forces);
  for (int i = begin; i < end; ++i)
    for (int k = 1; k <= kMolecules / 2; ++k)
      if (k < kMolecules / 2 || i < kMolecules / 2) add_forces(i, (i + k) % kMolecules, forces);
  for (int k = 0; k < parts; ++k) add_to_part((part + k) % parts, parts, forces);
#pragma omp barrier
  for (int i = begin; i < end; ++i) move(&molecules[i]);
#pragma omp barrier
}

int main(int argc, char** argv) {
  const int steps = bench_iterations(argc, argv);
  double start = 0, sum = 0;
  for (int part = 0; part < kMostParts; ++part) omp_init_lock(&locks[part]);
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < kMolecules; ++i)
      for (int d = 0; d < 3; ++d) molecules[i].position[d] = bench_random((uint64_t)(3 * i + d));
#pragma omp master
    start = bench_clock();
    for (int k = 0; k < steps; ++k) step();
  }
  const double seconds = bench_clock() - start;
  for (int i = 0; i < kMolecules; ++i) sum += molecules[i].position[i % 3] * (i % 7 + 1);
  printf("time_us %.3f checksum %.12e\n", seconds * 1e6, sum);
}
