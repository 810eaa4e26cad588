// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The travelling salesman by branch and bound: a pool of partial tours, a heap of those still to be
// looked at (the shortest first), and the best tour so far. A tour of four cities is finished by
// the thread that took it; shorter ones are extended and put back.
#include <math.h>
#include <omp.h>
#include <string.h>

#include "../../mpi/programs/bench.h"

enum { kCities = 12, kSplitDepth = 4, kPool = 4096 };

typedef struct {
  double length;
  int count, cities[kCities];
} Tour;

static double distance[kCities][kCities];
static Tour pool[kPool];
static int unused[kPool], unused_count;  // of the pool
static int heap[kPool], heap_count;      // tours to look at; the shortest is heap[0]
static double best = 1e9;
static omp_lock_t queue_lock, best_lock;

static void initialise(void) {
  for (int a = 0; a < kCities; ++a)
    for (int b = 0; b < kCities; ++b)
      distance[a][b] = hypot(bench_random(2 * (uint64_t)a) - bench_random(2 * (uint64_t)b),
                             bench_random(2 * (uint64_t)a + 1) - bench_random(2 * (uint64_t)b + 1));
  while (unused_count < kPool - 1) unused[unused_count] = unused_count + 1, ++unused_count;
  pool[0] = (Tour){.length = 0, .count = 1};
  heap[heap_count++] = 0;
}

static int is_before(int a, int b) { return pool[a].length < pool[b].length; }

static void push(int tour) {
  int at = heap_count++;
  for (; at > 0 && is_before(tour, heap[(at - 1) / 2]); at = (at - 1) / 2)
    heap[at] = heap[(at - 1) / 2];
  heap[at] = tour;
}

static int pop(void) {
  const int first = heap[0], last = heap[--heap_count];
  int at = 0;
  for (int child; (child = 2 * at + 1) < heap_count; at = child) {
    if (child + 1 < heap_count && is_before(heap[child + 1], heap[child])) ++child;
    if (!is_before(heap[child], last)) break;
    heap[at] = heap[child];
  }
  heap[at] = last;
  return first;
}

static int visits(const Tour* tour, int city) {
  for (int i = 0; i < tour->count; ++i)
    if (tour->cities[i] == city) return 1;
  return 0;
}

static double present_best(void) {
  omp_set_lock(&best_lock);
  const double length = best;
  omp_unset_lock(&best_lock);
  return length;
}

// Tries all ways to finish the tour, those that cannot be shorter than `bound` left out.
static double finish(Tour* tour, double bound) {
  const int last = tour->cities[tour->count - 1];
  if (tour->length >= bound) return bound;
  if (tour->count == kCities) return fmin(bound, tour->length + distance[last][0]);
  for (int city = 1; city < kCities; ++city) {
    if (visits(tour, city)) continue;
    const double before = tour->length;
    tour->cities[tour->count++] = city;
    tour->length += distance[last][city];
    bound = finish(tour, bound);
    --tour->count;
    tour->length = before;
  }
  return bound;
}

// With the queue's lock.
static void extend(const Tour* tour) {
  for (int city = 1; city < kCities; ++city) {
    if (visits(tour, city)) continue;
    const int place = unused[--unused_count];
    pool[place] = *tour;
    pool[place].cities[pool[place].count++] = city;
    pool[place].length += distance[tour->cities[tour->count - 1]][city];
    push(place);
  }
}

// Takes the shortest tour to finish it. Those that are too short yet are extended here, so nothing
// more will come when there is none.
static int take(Tour* tour) {
  int is_there = 0;
  omp_set_lock(&queue_lock);
  while (!is_there && heap_count > 0) {
    const int place = pop();
    *tour = pool[place];
    unused[unused_count++] = place;
    is_there = tour->count >= kSplitDepth;
    if (!is_there) extend(tour);
  }
  omp_unset_lock(&queue_lock);
  return is_there;
}

static void work(void) {
  Tour tour;
  while (take(&tour)) {
    const double bound = present_best(), found = finish(&tour, bound);
    if (found >= bound) continue;
    omp_set_lock(&best_lock);
    best = fmin(best, found);
    omp_unset_lock(&best_lock);
  }
}

int main(void) {
  omp_init_lock(&queue_lock);
  omp_init_lock(&best_lock);
  initialise();
  const double start = bench_clock();
#pragma omp parallel
  work();
  printf("time_us %.3f checksum %.12e\n", (bench_clock() - start) * 1e6, best);
}
