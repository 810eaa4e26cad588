// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 4,096 bodies under gravity, each attracted by all others: each rank moves some, and all gather
// where they are.
#include "../nbody_kernel.h"

#include "../bench_mpi.h"

static Vector position[kBodies], *velocity, *force;
static int counts[1024], places[1024];

static void step(int first, int bodies) {
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, position, counts, places, MPI_DOUBLE,
                 MPI_COMM_WORLD);
  for (int i = 0; i < bodies; ++i) force[i] = force_on(first + i, position);
  for (int i = 0; i < bodies; ++i) move(&position[first + i], &velocity[i], force[i]);
}

int main(int argc, char** argv) {
  const int iterations = bench_begin(argc, argv);
  const int first = bench_first(kBodies, rank);
  const int bodies = bench_first(kBodies, rank + 1) - first;
  for (int other = 0; other < ranks; ++other) {
    places[other] = 3 * bench_first(kBodies, other);
    counts[other] = 3 * bench_first(kBodies, other + 1) - places[other];
  }
  velocity = bench_allocate(sizeof(Vector) * (size_t)bodies);
  force = bench_allocate(sizeof(Vector) * (size_t)bodies);
  for (int i = 0; i < bodies; ++i) place(&position[first + i], &velocity[i], first + i);
  double start = 0, sum = 0;
  for (int k = 0; k < iterations; ++k) {
    if (k == iterations / 2) start = bench_meet();
    step(first, bodies);
  }
  for (int i = 0; i < bodies; ++i) sum += checksum(position[first + i], first + i);
  return bench_end(iterations, start, sum);
}
