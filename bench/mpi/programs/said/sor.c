// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Red-black successive over-relaxation on a grid of 2000 x 1000. Each colour has an array of its
// own: point (i, j) is the element j / 2 of row i of the colour (i + j) % 2. The plain form, which
// says to Weft which rows it is about to use, and which it has written for good.
#include <omp.h>
#include <weft/weft.h>

#include "../bench.h"

enum { kRows = 2000, kHalf = 500 };  // half the columns
static const double kOmega = 1.5;
typedef double Colour[kRows + 2][kHalf];

static Colour points[2];

static void initialise(void) {
#pragma omp parallel for
  for (int i = 1; i <= kRows; ++i)
    for (int j = 0; j < kHalf; ++j)
      points[0][i][j] = points[1][i][j] = bench_random((uint64_t)(i * kHalf + j));
  for (int j = 0; j < kHalf; ++j) points[0][0][j] = points[1][0][j] = 1;
}

static void sweep(Colour mine, Colour other, int colour) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), all = omp_get_num_threads();
    const int first = 1 + kRows * me / all, end = 1 + kRows * (me + 1) / all;
    weft_check_out(other[first - 1], sizeof other[0] * (size_t)(end + 1 - (first - 1)), WEFT_READ);
    for (int i = first; i < end; ++i) {
      // Of the two neighbours in the row, one has the same index and one is before or behind it.
      const int shift = (i + colour) % 2 == 0 ? -1 : 1;
      for (int j = 1; j < kHalf - 1; ++j)
        mine[i][j] +=
            kOmega *
            (0.25 * (other[i - 1][j] + other[i + 1][j] + other[i][j] + other[i][j + shift]) -
             mine[i][j]);
      if (i == first) weft_commit(mine[i], sizeof mine[i]);
    }
    weft_commit(mine[end - 1], sizeof mine[0]);
  }
}

int main(int argc, char** argv) {
  const int iterations = bench_iterations(argc, argv);
  double start = 0, sum = 0;
  initialise();
  for (int k = 0; k < iterations; ++k) {
    if (k == iterations / 2) start = bench_clock();
    sweep(points[0], points[1], 0);
    sweep(points[1], points[0], 1);
  }
  const double seconds = bench_clock() - start;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 1; i <= kRows; ++i)
    for (int j = 0; j < kHalf; ++j) sum += (points[0][i][j] - 2 * points[1][i][j]) * (j % 7 + 1);
  bench_report(iterations, seconds, sum);
}
