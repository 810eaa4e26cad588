// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 4,096 bodies under gravity, each attracted by all others: first all forces, then all movements.
#include "../nbody_kernel.h"

static Vector position[kBodies], velocity[kBodies], force[kBodies];

static void step(void) {
#pragma omp parallel for
  for (int i = 0; i < kBodies; ++i) force[i] = force_on(i, position);
#pragma omp parallel for
  for (int i = 0; i < kBodies; ++i) move(&position[i], &velocity[i], force[i]);
}

int main(int argc, char** argv) {
  const int iterations = bench_iterations(argc, argv);
  double start = 0, sum = 0;
#pragma omp parallel for
  for (int i = 0; i < kBodies; ++i) place(&position[i], &velocity[i], i);
  for (int k = 0; k < iterations; ++k) {
    if (k == iterations / 2) start = bench_clock();
    step();
  }
  const double seconds = bench_clock() - start;
  for (int i = 0; i < kBodies; ++i) sum += checksum(position[i], i);
  bench_report(iterations, seconds, sum);
}
