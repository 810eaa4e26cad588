// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gravity after Barnes and Hut: in each step one thread builds the tree of cells, all threads walk
// through it, each for its part of the bodies, and move these. So in each step all read what one
// has written, the tree, and one reads what all have written, the places.
#include <math.h>

#include "../mpi/programs/bench.h"

enum { kBodies = 4096, kMostCells = 2 * kBodies };
static const double kStep = 1e-4, kSoftening = 1e-4, kOpening = 0.36;  // the square of 0.6

typedef struct {
  double place[3], mass;
} Body;

typedef struct {
  double centre[3], half;  // of the cube
  double place[3], mass;   // of all that is in it
  int children[8];         // 0: none; a cell's index; or a body's, as -1 - index
} Cell;

static Body bodies[kBodies];
static double speed[kBodies][3];
static Cell cells[kMostCells];
static int cell_count;

static void initialise(void) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < kBodies; ++i) {
    bodies[i].mass = 1.0 / kBodies;
    for (int d = 0; d < 3; ++d) {
      bodies[i].place[d] = bench_random((uint64_t)(3 * i + d));
      speed[i][d] = 0;
    }
  }
}

static int octant_of(const Cell* cell, const double* place) {
  int octant = 0;
  for (int d = 0; d < 3; ++d) octant |= (place[d] >= cell->centre[d]) << d;
  return octant;
}

static int add_cell(const Cell* parent, int octant) {
  if (cell_count == kMostCells) {
    fprintf(stderr, "too many cells\n");
    exit(1);
  }
  Cell* cell = &cells[cell_count];
  cell->half = parent->half / 2;
  for (int d = 0; d < 3; ++d)
    cell->centre[d] = parent->centre[d] + ((octant >> d) & 1 ? cell->half : -cell->half);
  for (int c = 0; c < 8; ++c) cell->children[c] = 0;
  return cell_count++;
}

static void insert(int body) {
  Cell* cell = &cells[0];
  for (;;) {
    const int octant = octant_of(cell, bodies[body].place);
    const int child = cell->children[octant];
    if (child == 0) {
      cell->children[octant] = -1 - body;
      return;
    }
    if (child < 0) {
      const int below = add_cell(cell, octant);
      cells[below].children[octant_of(&cells[below], bodies[-1 - child].place)] = child;
      cell->children[octant] = below;
    }
    cell = &cells[cell->children[octant]];
  }
}

// Cells come after their parents.
static void sum_up(void) {
  for (int c = cell_count - 1; c >= 0; --c) {
    Cell* cell = &cells[c];
    cell->mass = 0;
    for (int d = 0; d < 3; ++d) cell->place[d] = 0;
    for (int k = 0; k < 8; ++k) {
      const int child = cell->children[k];
      if (child == 0) continue;
      const double mass = child < 0 ? bodies[-1 - child].mass : cells[child].mass;
      const double* place = child < 0 ? bodies[-1 - child].place : cells[child].place;
      cell->mass += mass;
      for (int d = 0; d < 3; ++d) cell->place[d] += mass * place[d];
    }
    for (int d = 0; d < 3; ++d) cell->place[d] /= cell->mass;
  }
}

static void build(void) {
  cell_count = 1;
  cells[0].half = 2;
  for (int d = 0; d < 3; ++d) cells[0].centre[d] = 0.5;
  for (int c = 0; c < 8; ++c) cells[0].children[c] = 0;
  for (int i = 0; i < kBodies; ++i) insert(i);
  sum_up();
}

static double distance_squared(const double* from, const double* to, double* offset) {
  double square = kSoftening;
  for (int d = 0; d < 3; ++d) {
    offset[d] = to[d] - from[d];
    square += offset[d] * offset[d];
  }
  return square;
}

static void pull(const double* offset, double square, double mass, double* force) {
  const double scale = mass / (square * sqrt(square));
  for (int d = 0; d < 3; ++d) force[d] += scale * offset[d];
}

static void add_forces(int body, double* force) {
  int waiting[256], count = 0;
  waiting[count++] = 0;
  while (count > 0) {
    const Cell* cell = &cells[waiting[--count]];
    double offset[3];
    const double square = distance_squared(bodies[body].place, cell->place, offset);
    if (4 * cell->half * cell->half < kOpening * square) {
      pull(offset, square, cell->mass, force);
      continue;
    }
    for (int k = 0; k < 8; ++k) {
      const int child = cell->children[k];
      if (child > 0) waiting[count++] = child;
      if (child >= 0 || -1 - child == body) continue;
      const Body* other = &bodies[-1 - child];
      const double near = distance_squared(bodies[body].place, other->place, offset);
      pull(offset, near, other->mass, force);
    }
  }
}

int main(int argc, char** argv) {
  const int iterations = bench_iterations(argc, argv);
  double start = 0, sum = 0;
  initialise();
#pragma omp parallel
  for (int k = 0; k < iterations; ++k) {
#pragma omp master
    {
      if (k == iterations / 2) start = bench_clock();
      build();
    }
#pragma omp barrier
#pragma omp for schedule(static)
    for (int i = 0; i < kBodies; ++i) {
      double force[3] = {0, 0, 0};
      add_forces(i, force);
      for (int d = 0; d < 3; ++d) speed[i][d] += kStep * force[d];
    }
#pragma omp for schedule(static)
    for (int i = 0; i < kBodies; ++i)
      for (int d = 0; d < 3; ++d) bodies[i].place[d] += kStep * speed[i][d];
  }
  const double seconds = bench_clock() - start;
  for (int i = 0; i < kBodies; ++i)
    for (int d = 0; d < 3; ++d) sum += bodies[i].place[d] * (i % 7 + 1);
  bench_report(iterations, seconds, sum);
}
