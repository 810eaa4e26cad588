// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Task queues as in Raytrace of SPLASH: a picture of 256 x 256 points in tiles of 8 x 8. Each
// thread has a queue of tiles under a lock, and when it is empty takes from the others'. Tiles take
// unequally long.
#include <omp.h>

#include "../../mpi/programs/bench.h"

enum { kSide = 256, kTile = 8, kTilesInRow = kSide / kTile, kTiles = kTilesInRow * kTilesInRow };
enum { kMostThreads = 64, kMostSteps = 2000 };

typedef struct {
  _Alignas(64) omp_lock_t lock;
  int next, end;
} Queue;

static Queue queues[kMostThreads];
static int picture[kSide][kSide];

static int steps_at(double x, double y) {
  double real = 0, imaginary = 0;
  int steps = 0;
  for (; steps < kMostSteps && real * real + imaginary * imaginary < 4; ++steps) {
    const double next = real * real - imaginary * imaginary + x;
    imaginary = 2 * real * imaginary + y;
    real = next;
  }
  return steps;
}

static void draw(int tile) {
  const int top = tile / kTilesInRow * kTile, left = tile % kTilesInRow * kTile;
  for (int i = top; i < top + kTile; ++i)
    for (int j = left; j < left + kTile; ++j)
      picture[i][j] = steps_at(3.0 * j / kSide - 2.2, 3.0 * i / kSide - 1.5);
}

static int take_from(Queue* queue) {
  omp_set_lock(&queue->lock);
  const int tile = queue->next < queue->end ? queue->next++ : -1;
  omp_unset_lock(&queue->lock);
  return tile;
}

static void work(void) {
  const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
  Queue* const mine = &queues[thread];
  mine->next = kTiles * thread / threads;
  mine->end = kTiles * (thread + 1) / threads;
#pragma omp barrier
  for (int turn = 0; turn < threads; ++turn)
    for (int tile; (tile = take_from(&queues[(thread + turn) % threads])) >= 0;) draw(tile);
}

int main(void) {
  double sum = 0;
  for (int thread = 0; thread < kMostThreads; ++thread) omp_init_lock(&queues[thread].lock);
  const double start = bench_clock();
#pragma omp parallel
  work();
  const double seconds = bench_clock() - start;
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) sum += picture[i][j] * (double)(j % 7 + 1);
  printf("time_us %.3f checksum %.12e\n", seconds * 1e6, sum);
}
