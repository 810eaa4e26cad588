// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph built by fetch-and-add, as graph codes do: the degrees are counted, then each edge takes
// the next place in the list of its vertex. Arguments: VERTICES EDGES.
#include "pattern.h"

static long vertices, edges;

static long from_of(long edge) { return (long)(mixed((uint64_t)edge * 2) % (uint64_t)vertices); }
static long to_of(long edge) { return (long)(mixed((uint64_t)edge * 2 + 1) % (uint64_t)vertices); }

static void build(long* begin, long* next, long* neighbours) {
#pragma omp parallel for
  for (long edge = 0; edge < edges; ++edge) __sync_fetch_and_add(&begin[from_of(edge) + 1], 1);
  for (long vertex = 0; vertex < vertices; ++vertex) begin[vertex + 1] += begin[vertex];
#pragma omp parallel for
  for (long vertex = 0; vertex < vertices; ++vertex) next[vertex] = begin[vertex];
#pragma omp parallel for
  for (long edge = 0; edge < edges; ++edge)
    neighbours[__sync_fetch_and_add(&next[from_of(edge)], 1)] = to_of(edge);
}

int main(int argc, char** argv) {
  vertices = argument(argc, argv, 1, 20000);
  edges = argument(argc, argv, 2, 16 * vertices);
  long* begin = calloc((size_t)vertices + 1, sizeof *begin);
  long* next = malloc(sizeof *next * (size_t)vertices);
  long* neighbours = malloc(sizeof *neighbours * (size_t)edges);
  const double start = omp_get_wtime();
  build(begin, next, neighbours);
  const double seconds = omp_get_wtime() - start;
  long found = 0, expected = 0;
  for (long vertex = 0; vertex < vertices; ++vertex)
    for (long i = begin[vertex]; i < begin[vertex + 1]; ++i)
      found += (vertex % 1000 + 1) * (neighbours[i] % 1000);
  for (long edge = 0; edge < edges; ++edge)
    expected += (from_of(edge) % 1000 + 1) * (to_of(edge) % 1000);
  free(begin);
  free(next);
  free(neighbours);
  return finish(seconds, found, expected);
}
