// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 4,096 bodies under gravity, each attracted by all others. New positions go beside the old ones,
// so that one barrier is enough for a step.
#include "../nbody_kernel.h"

static Vector positions[2][kBodies], velocity[kBodies];

static void step(const Vector* from, Vector* to) {
#pragma omp for schedule(static)
  for (int i = 0; i < kBodies; ++i) {
    to[i] = from[i];
    move(&to[i], &velocity[i], force_on(i, from));
  }
}

int main(int argc, char** argv) {
  const int iterations = bench_iterations(argc, argv);
  double start = 0, sum = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < kBodies; ++i) place(&positions[0][i], &velocity[i], i);
    for (int k = 0; k < iterations; ++k) {
#pragma omp master
      if (k == iterations / 2) start = bench_clock();
      step(positions[k % 2], positions[(k + 1) % 2]);
    }
  }
  const double seconds = bench_clock() - start;
  for (int i = 0; i < kBodies; ++i) sum += checksum(positions[iterations % 2][i], i);
  bench_report(iterations, seconds, sum);
}
