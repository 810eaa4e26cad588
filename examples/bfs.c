// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Breadth-first search of a graph, level by level, with atomic operations.
//
//   bfs [SCALE]       a random graph of 2^SCALE vertices and eight times as many edges (R-MAT)
//   bfs EDGES.txt     a graph read from a file, an edge a line: two vertex numbers
//
// Threads claim vertices and places in the next frontier with atomic captures, so the order of a
// frontier is left to chance, but a vertex's level is not, and neither is its parent: the least
// neighbour that could be it, found with an atomic minimum. The result is the same with any number
// of threads, and is verified against a search by one thread.

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { kUnreached = INT32_MAX };

typedef struct {
  int vertices;
  long edges;
  int (*edge)[2];
  long* first;     // neighbours of v: neighbour[first[v]] up to neighbour[first[v + 1]]
  int* neighbour;  // in no particular order
} Graph;

typedef struct {
  int* level;
  int* parent;
} Search;

static void die(const char* sentence) {
  fprintf(stderr, "bfs: %s\n", sentence);
  exit(1);
}

static void* allocate(size_t count, size_t size) {
  void* memory = calloc(count ? count : 1, size);
  if (!memory) die("There is not enough memory for this graph.");
  return memory;
}

static Graph read_graph(const char* path) {
  FILE* file = fopen(path, "r");
  if (!file) die("The file of edges cannot be opened.");
  Graph graph = {0};
  long room = 0;
  int a, b;
  while (fscanf(file, "%d %d", &a, &b) == 2) {
    if (a < 0 || b < 0) die("A vertex number is negative.");
    if (graph.edges == room) {
      room = room ? 2 * room : 64;
      graph.edge = realloc(graph.edge, room * sizeof *graph.edge);
      if (!graph.edge) die("There is not enough memory for this graph.");
    }
    graph.edge[graph.edges][0] = a;
    graph.edge[graph.edges++][1] = b;
    const int largest = a > b ? a : b;
    if (largest >= graph.vertices) graph.vertices = largest + 1;
  }
  fclose(file);
  if (graph.edges == 0) die("The file holds no edges.");
  return graph;
}

// A random number that depends on nothing but its place, so that any thread can draw it.
static uint64_t random_at(uint64_t place) {
  uint64_t z = place * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// R-MAT: each bit of both ends is chosen with the odds 57 : 19 : 19 : 5, as in Graph500.
static Graph random_graph(int scale) {
  Graph graph = {1 << scale, 8L << scale, NULL, NULL, NULL};
  graph.edge = allocate(graph.edges, sizeof *graph.edge);
#pragma omp parallel for schedule(static)
  for (long e = 0; e < graph.edges; ++e) {
    int ends[2] = {0, 0};
    for (int bit = 0; bit < scale; ++bit) {
      const int dice = (int)(random_at((uint64_t)e * 64 + bit) % 100);
      ends[0] = 2 * ends[0] + (dice >= 76);
      ends[1] = 2 * ends[1] + ((dice >= 57 && dice < 76) || dice >= 95);
    }
    graph.edge[e][0] = ends[0];
    graph.edge[e][1] = ends[1];
  }
  return graph;
}

// Turns the list of edges into lists of neighbours, each edge in both directions.
static void build_neighbours(Graph* graph) {
  const long edges = graph->edges;
  long* degree = allocate(graph->vertices, sizeof *degree);
  graph->first = allocate((size_t)graph->vertices + 1, sizeof *graph->first);
  graph->neighbour = allocate(2 * edges, sizeof *graph->neighbour);
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (long e = 0; e < edges; ++e)
      for (int end = 0; end < 2; ++end) {
#pragma omp atomic update
        degree[graph->edge[e][end]] += 1;
      }
#pragma omp single
    for (int v = 0; v < graph->vertices; ++v) {
      graph->first[v + 1] = graph->first[v] + degree[v];
      degree[v] = graph->first[v];
    }
#pragma omp for schedule(static)
    for (long e = 0; e < edges; ++e)
      for (int end = 0; end < 2; ++end) {
        long place;
#pragma omp atomic capture
        place = degree[graph->edge[e][end]]++;
        graph->neighbour[place] = graph->edge[e][1 - end];
      }
  }
  free(degree);
}

// Offers v as the parent of w. Returns whether w was reached here for the first time.
static int reach(Search* search, int w, int v, int depth) {
  int level;
#pragma omp atomic read
  level = search->level[w];
  if (level < depth) return 0;
  if (level == kUnreached) {
#pragma omp atomic capture
    {
      level = search->level[w];
      search->level[w] = depth;
    }
  }
#pragma omp atomic compare
  if (v < search->parent[w]) {
    search->parent[w] = v;
  }
  return level == kUnreached;
}

static Search search_from(const Graph* graph, int root) {
  const int vertices = graph->vertices;
  Search search = {allocate(vertices, sizeof(int)), allocate(vertices, sizeof(int))};
  int* frontier = allocate(vertices, sizeof(int));
  int* next = allocate(vertices, sizeof(int));
  int size = 1, next_size = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int v = 0; v < vertices; ++v) search.level[v] = search.parent[v] = kUnreached;
#pragma omp single
    {
      search.level[root] = 0;
      search.parent[root] = root;
      frontier[0] = root;
    }
    for (int depth = 1; size > 0; ++depth) {
#pragma omp for schedule(dynamic, 64)
      for (int i = 0; i < size; ++i) {
        const int v = frontier[i];
        for (long n = graph->first[v]; n < graph->first[v + 1]; ++n) {
          if (!reach(&search, graph->neighbour[n], v, depth)) continue;
          int place;
#pragma omp atomic capture
          place = next_size++;
          next[place] = graph->neighbour[n];
        }
      }
#pragma omp single
      {
        int* swap = frontier;
        frontier = next;
        next = swap;
        size = next_size;
        next_size = 0;
      }
    }
  }
  free(frontier);
  free(next);
  return search;
}

static void verify(const Graph* graph, const Search* search, int root) {
  int* level = allocate(graph->vertices, sizeof *level);
  int* queue = allocate(graph->vertices, sizeof *queue);
  for (int v = 0; v < graph->vertices; ++v) level[v] = kUnreached;
  level[root] = 0;
  queue[0] = root;
  for (long head = 0, tail = 1; head < tail; ++head)
    for (long n = graph->first[queue[head]]; n < graph->first[queue[head] + 1]; ++n)
      if (level[graph->neighbour[n]] == kUnreached) {
        level[graph->neighbour[n]] = level[queue[head]] + 1;
        queue[tail++] = graph->neighbour[n];
      }
  for (int v = 0; v < graph->vertices; ++v) {
    if (level[v] != search->level[v]) die("A level differs from the one-thread search.");
    if (v == root || level[v] == kUnreached) continue;
    int least = kUnreached;
    for (long n = graph->first[v]; n < graph->first[v + 1]; ++n)
      if (level[graph->neighbour[n]] == level[v] - 1 && graph->neighbour[n] < least)
        least = graph->neighbour[n];
    if (search->parent[v] != least) die("A parent is not the least neighbour one level up.");
  }
  free(level);
  free(queue);
}

static void report(const Graph* graph, const Search* search, int root) {
  uint64_t hash = 14695981039346656037u;
  int reached = 0, deepest = 0;
  for (int v = 0; v < graph->vertices; ++v) {
    hash = (hash ^ (uint64_t)search->level[v]) * 1099511628211u;
    hash = (hash ^ (uint64_t)search->parent[v]) * 1099511628211u;
    if (search->level[v] == kUnreached) continue;
    reached += 1;
    if (search->level[v] > deepest) deepest = search->level[v];
  }
  printf("bfs: from %d, %d of %d vertices reached, %d levels\n", root, reached, graph->vertices,
         deepest);
  printf("checksum: %016llx\n", (unsigned long long)hash);
}

int main(int argc, char** argv) {
  const int from_file = argc > 1 && !isdigit((unsigned char)argv[1][0]);
  const int scale = argc > 1 && !from_file ? atoi(argv[1]) : 19;
  if (argc > 2 || scale < 1 || scale > 27) die("Usage: bfs [SCALE], or bfs EDGES.txt");
  Graph graph = from_file ? read_graph(argv[1]) : random_graph(scale);
  build_neighbours(&graph);
  const int root = 0;
  Search search = search_from(&graph, root);
  verify(&graph, &search, root);
  report(&graph, &search, root);
  printf("bfs: verified\n");
  free(search.level);
  free(search.parent);
  free(graph.edge);
  free(graph.first);
  free(graph.neighbour);
  return 0;
}
