// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions over arrays and array sections: small, larger than a page, from pointers, and with
// offsets, so that neighbours must stay as they are.

#include <omp.h>

#include "../check.h"

enum { kBins = 37, kLarge = 5000 };

static void whole_array(void) {
  int bins[kBins] = {0};
  double extremes[3] = {1e9, 1e9, 1e9};
#pragma omp parallel for reduction(+ : bins) reduction(min : extremes) schedule(dynamic, 5)
  for (int i = 0; i < 2000; ++i) {
    bins[i % kBins] += i;
    const double value = (i * 733 + 91) % 2000;
    if (value < extremes[i % 3]) extremes[i % 3] = value;
  }
  int expected[kBins] = {0};
  double least[3] = {1e9, 1e9, 1e9};
  for (int i = 0; i < 2000; ++i) {
    expected[i % kBins] += i;
    const double value = (i * 733 + 91) % 2000;
    if (value < least[i % 3]) least[i % 3] = value;
  }
  for (int b = 0; b < kBins; ++b)
    EXPECT(bins[b] == expected[b], "Bin %d holds %d, not %d.", b, bins[b], expected[b]);
  for (int b = 0; b < 3; ++b)
    EXPECT(extremes[b] == least[b], "Minimum %d is %g, not %g.", b, extremes[b], least[b]);
}

static void section_of(double* data, int from, int count) {
#pragma omp parallel for reduction(+ : data[from : count])
  for (int i = 0; i < 10 * count; ++i) data[from + i % count] += 0.5;
  for (int i = 0; i < from; ++i) EXPECT(data[i] == -1, "data[%d] changed to %g.", i, data[i]);
  for (int i = from; i < from + count; ++i)
    EXPECT(data[i] == 4, "data[%d] is %g, not 4.", i, data[i]);
  for (int i = from + count; i < kLarge; ++i)
    EXPECT(data[i] == -1, "data[%d] changed to %g.", i, data[i]);
}

static void in_two_dimensions(void) {
  static long grid[6][700];
#pragma omp parallel for reduction(+ : grid[1 : 3][ : 700]) schedule(guided)
  for (int i = 0; i < 2100; ++i) grid[1 + i / 700][i % 700] += i;
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < 700; ++c)
      EXPECT(grid[r][c] == (r >= 1 && r <= 3 ? (r - 1) * 700 + c : 0), "grid[%d][%d] is %ld.", r, c,
             grid[r][c]);
}

int main(void) {
  whole_array();
  double* data = malloc(kLarge * sizeof *data);
  const int froms[] = {0, 100, 511}, counts[] = {1, 60, 4000};
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < kLarge; ++i) data[i] = -1;
    section_of(data, froms[k], counts[k]);
  }
  free(data);
  in_two_dimensions();
  return ok();
}
