// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Breadth-first search by compare and swap, as graph codes do: who takes a vertex first puts it
// into the next frontier, at a place that it takes by fetch-and-add. Arguments: VERTICES DEGREE.
#include "pattern.h"

static long vertices, degree, *neighbours, *level, *frontier, *next;

static long search(void) {
  long count = 1, depth = 0, reached = 0;
  frontier[0] = 0;
  level[0] = 0;
  for (; count > 0; ++depth) {
    long found = 0;
    reached += count;
#pragma omp parallel for
    for (long i = 0; i < count; ++i) {
      const long* list = neighbours + frontier[i] * degree;
      for (long k = 0; k < degree; ++k)
        if (__sync_bool_compare_and_swap(&level[list[k]], -1, depth + 1))
          next[__sync_fetch_and_add(&found, 1)] = list[k];
    }
    long* const swap = frontier;
    frontier = next;
    next = swap;
    count = found;
  }
  return reached;
}

// One thread alone, from the levels that were found: each vertex has a neighbour, or is one, a
// level nearer.
static long sum_of_levels(long depth_limit) {
  for (long vertex = 0; vertex < vertices; ++vertex) level[vertex] = vertex == 0 ? 0 : -1;
  long sum = 0;
  for (long depth = 0; depth < depth_limit; ++depth)
    for (long vertex = 0; vertex < vertices; ++vertex) {
      if (level[vertex] != depth) continue;
      sum += depth * (vertex % 1000 + 1);
      for (long k = 0; k < degree; ++k)
        if (level[neighbours[vertex * degree + k]] < 0)
          level[neighbours[vertex * degree + k]] = depth + 1;
    }
  return sum;
}

int main(int argc, char** argv) {
  vertices = argument(argc, argv, 1, 50000);
  degree = argument(argc, argv, 2, 8);
  neighbours = malloc(sizeof(long) * (size_t)(vertices * degree));
  level = malloc(sizeof(long) * (size_t)vertices);
  frontier = malloc(sizeof(long) * (size_t)vertices);
  next = malloc(sizeof(long) * (size_t)vertices);
#pragma omp parallel for
  for (long i = 0; i < vertices * degree; ++i)
    neighbours[i] = (long)(mixed((uint64_t)i) % (uint64_t)vertices);
#pragma omp parallel for
  for (long vertex = 0; vertex < vertices; ++vertex) level[vertex] = -1;
  const double start = omp_get_wtime();
  const long reached = search();
  const double seconds = omp_get_wtime() - start;
  long found = 0, deepest = 0, there = 0;
  for (long vertex = 0; vertex < vertices; ++vertex) {
    if (level[vertex] < 0) continue;
    ++there;
    found += level[vertex] * (vertex % 1000 + 1);
    if (level[vertex] > deepest) deepest = level[vertex];
  }
  const long expected = there == reached ? sum_of_levels(deepest + 1) : -1;
  free(neighbours);
  free(level);
  free(frontier);
  free(next);
  return finish(seconds, found, expected);
}
