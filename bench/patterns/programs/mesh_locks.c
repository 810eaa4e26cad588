// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fine locks on a mesh, as NPB's UA has: each element adds to its four corners, and each point has
// a lock of its own. Arguments: SIDE STEPS.
#include "pattern.h"

static long side, *points;
static omp_lock_t* locks;

static void add_to(long point, long what) {
  omp_set_lock(&locks[point]);
  points[point] += what;
  omp_unset_lock(&locks[point]);
}

static void step(void) {
#pragma omp parallel for
  for (long row = 0; row < side; ++row)
    for (long column = 0; column < side; ++column) {
      const long corner = row * (side + 1) + column;
      const long what = (long)(mixed((uint64_t)corner) % 100);
      add_to(corner, what);
      add_to(corner + 1, what);
      add_to(corner + side + 1, what);
      add_to(corner + side + 2, what);
    }
}

int main(int argc, char** argv) {
  side = argument(argc, argv, 1, 200);
  const long steps = argument(argc, argv, 2, 10);
  const long all = (side + 1) * (side + 1);
  points = calloc((size_t)all, sizeof *points);
  locks = malloc(sizeof *locks * (size_t)all);
  for (long i = 0; i < all; ++i) omp_init_lock(&locks[i]);
  const double start = omp_get_wtime();
  for (long i = 0; i < steps; ++i) step();
  const double seconds = omp_get_wtime() - start;
  long found = 0, expected = 0;
  for (long i = 0; i < all; ++i) found += points[i] * (i % 7 + 1);
  for (long row = 0; row < side; ++row)
    for (long column = 0; column < side; ++column) {
      const long corner = row * (side + 1) + column,
                 corners[] = {corner, corner + 1, corner + side + 1, corner + side + 2};
      for (int i = 0; i < 4; ++i)
        expected += (long)(mixed((uint64_t)corner) % 100) * (corners[i] % 7 + 1) * steps;
    }
  for (long i = 0; i < all; ++i) omp_destroy_lock(&locks[i]);
  free(locks);
  free(points);
  return finish(seconds, found, expected);
}
