// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 3-D Fourier transform of 64^3 complex numbers: each rank has some z and transforms their planes
// along x and y; then each gets some y, by an exchange of all with all, and transforms along z.
#include "../fft_kernel.h"

#include "../bench_mpi.h"

static int mine, first;  // planes of this rank; the ranks divide 64
static Plane *space, *transformed;
static double complex *sent, *received;  // [rank][z of the sender][y of the receiver][x]

static void transform(int k) {
  for (int z = 0; z < mine; ++z) {
    for (int y = 0; y < kSide; ++y)
      for (int x = 0; x < kSide; ++x) space[z][y][x] = fft_input(k, first + z, y, x);
    fft_plane(space[z]);
    for (int y = 0; y < kSide; ++y)
      for (int x = 0; x < kSide; ++x)
        sent[((y / mine * mine + z) * mine + y % mine) * kSide + x] = space[z][y][x];
  }
  const int block = mine * mine * kSide;
  MPI_Alltoall(sent, block, MPI_C_DOUBLE_COMPLEX, received, block, MPI_C_DOUBLE_COMPLEX,
               MPI_COMM_WORLD);
  for (int y = 0; y < mine; ++y) {
    for (int z = 0; z < kSide; ++z)
      for (int x = 0; x < kSide; ++x) transformed[y][x][z] = received[(z * mine + y) * kSide + x];
    for (int x = 0; x < kSide; ++x) fft_line(transformed[y][x]);
  }
}

int main(int argc, char** argv) {
  const int iterations = bench_begin(argc, argv);
  if (kSide % ranks != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  mine = kSide / ranks;
  first = mine * rank;
  fft_initialise();
  space = bench_allocate(sizeof(Plane) * (size_t)mine);
  transformed = bench_allocate(sizeof(Plane) * (size_t)mine);
  sent = bench_allocate(sizeof(Plane) * (size_t)mine);
  received = bench_allocate(sizeof(Plane) * (size_t)mine);
  double start = 0, sum = 0;
  for (int k = 0; k < iterations; ++k) {
    if (k == iterations / 2) start = bench_meet();
    transform(k);
  }
  for (int y = 0; y < mine; ++y)
    for (int x = 0; x < kSide; ++x)
      for (int z = 0; z < kSide; ++z) sum += cabs(transformed[y][x][z]) * (z % 7 + 1);
  return bench_end(iterations, start, sum);
}
