// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 3-D Fourier transform of 64^3 complex numbers: planes along x and y, a transposition, lines along
// z.
#include "../fft_kernel.h"

static Plane space[kSide];        // [z][y][x]
static Plane transformed[kSide];  // [y][x][z]

static void transform(int k) {
#pragma omp parallel for
  for (int z = 0; z < kSide; ++z) {
    for (int y = 0; y < kSide; ++y)
      for (int x = 0; x < kSide; ++x) space[z][y][x] = fft_input(k, z, y, x);
    fft_plane(space[z]);
  }
#pragma omp parallel for
  for (int y = 0; y < kSide; ++y) {
    for (int z = 0; z < kSide; ++z)
      for (int x = 0; x < kSide; ++x) transformed[y][x][z] = space[z][y][x];
    for (int x = 0; x < kSide; ++x) fft_line(transformed[y][x]);
  }
}

int main(int argc, char** argv) {
  const int iterations = bench_iterations(argc, argv);
  double start = 0, sum = 0;
  fft_initialise();
  for (int k = 0; k < iterations; ++k) {
    if (k == iterations / 2) start = bench_clock();
    transform(k);
  }
  const double seconds = bench_clock() - start;
#pragma omp parallel for reduction(+ : sum)
  for (int y = 0; y < kSide; ++y)
    for (int x = 0; x < kSide; ++x)
      for (int z = 0; z < kSide; ++z) sum += cabs(transformed[y][x][z]) * (z % 7 + 1);
  bench_report(iterations, seconds, sum);
}
