// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A construct again and again, at whose barriers nobody has anything to tell, mostly: "turns WAY
// COUNT". It checks what has come of it. tests/regions/run counts the messages.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double from_static;  // a page of its own, but for what is never written here
static char apart[8192];    // between that and other data
static long written[512];   // by one thread, read by all

static void need(int is_right, const char* what, long turn) {
  if (is_right) return;
  printf("wrong %s in turn %ld\n", what, turn);
  exit(1);
}

static void regions(long turns) {
  for (long turn = 0; turn < turns; ++turn) {
    int seen = -1;
#pragma omp parallel firstprivate(turn) reduction(max : seen)
    seen = (int)(turn % 1000);
    need(seen == turn % 1000, "value of a region", turn);
  }
}

// Sums that depend on the order in which they are made.
static double term(long turn, int thread) { return 1.0 / (double)(3 + turn * 7 + thread * 11); }

static double expected_sum(long turn, int threads, int threads_per_node) {
  double sum = 0;
  for (int first = 0; first < threads; first += threads_per_node) {
    double of_node = term(turn, first);
    for (int thread = first + 1; thread < first + threads_per_node && thread < threads; ++thread)
      of_node += term(turn, thread);
    sum = first == 0 ? of_node : sum + of_node;
  }
  return sum;
}

static void sums_of_regions(long turns, int threads_per_node) {
  const int threads = omp_get_max_threads();
  for (long turn = 0; turn < turns; ++turn) {
    double sum = 0;
#pragma omp parallel firstprivate(turn) reduction(+ : sum)
    sum += term(turn, omp_get_thread_num());
    need(sum == expected_sum(turn, threads, threads_per_node), "sum", turn);
  }
}

static void sums_in_a_region(long turns) {
  from_static = 0;
#pragma omp parallel firstprivate(turns)
  for (long turn = 0; turn < turns; ++turn) {
#pragma omp for reduction(+ : from_static)
    for (int each = 0; each < 60; ++each) from_static += 1;
  }
  need(from_static == 60.0 * (double)turns, "sum", turns);
}

// The team is smaller in two of three turns: nodes may have no thread in it.
static void small_teams(long turns) {
  const int most = omp_get_max_threads();
  for (long turn = 0; turn < turns; ++turn) {
    const int wanted = turn % 3 == 0 ? most : most / 2 + 1;
    int threads = 0;
#pragma omp parallel num_threads(wanted) reduction(+ : threads)
    threads += 1;
    need(threads == wanted, "team", turn);
  }
}

static void nested(long turns) {
  omp_set_max_active_levels(2);
  for (long turn = 0; turn < turns; ++turn) {
    long inner = 0;
#pragma omp parallel reduction(+ : inner)
    {
      long mine = 0;
#pragma omp parallel num_threads(2) reduction(+ : mine)
      mine += 1;
      inner += mine;
    }
    need(inner == 2L * omp_get_max_threads(), "inner regions", turn);
  }
}

static void cancelled(long turns) {
  for (long turn = 0; turn < turns; ++turn) {
    int behind = 0;
#pragma omp parallel firstprivate(turn) reduction(+ : behind)
    {
      if (turn % 2 == 0) {
#pragma omp cancel parallel
      }
#pragma omp cancellation point parallel
#pragma omp barrier
      behind += 1;
    }
    if (turn % 2 != 0) need(behind == omp_get_max_threads(), "count behind a barrier", turn);
  }
}

static void tasks(long turns) {
  for (long turn = 0; turn < turns; ++turn) {
    long done = 0;
#pragma omp parallel
#pragma omp single
    for (int task = 0; task < 4; ++task) {
#pragma omp task shared(done)
#pragma omp atomic
      done += 1;
    }
    need(done == 4, "tasks", turn);
  }
}

// Something is told in one turn of five, at the region's end or before it.
static void told_at_times(long turns) {
  for (long turn = 0; turn < turns; ++turn) {
    if (turn % 10 == 5) written[0] = turn;
    long seen = 0, wanted = 0;
#pragma omp parallel firstprivate(turn) reduction(+ : seen)
    {
      const int last = omp_get_thread_num() == omp_get_num_threads() - 1;
      if (turn % 10 == 0 && last) written[1] = turn;
      if (turn % 10 != 0) seen += written[0] + written[1];
    }
    if (turn % 10 != 0) wanted = (turn < 5 ? 0 : (turn - 5) / 10 * 10 + 5) + turn / 10 * 10;
    need(seen == wanted * omp_get_max_threads(), "values", turn);
  }
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const char* const way = argv[1];
  const long turns = atol(argv[2]);
  apart[0] = 0;
  if (strcmp(way, "regions") == 0) regions(turns);
  if (strcmp(way, "sums-of-regions") == 0) sums_of_regions(turns, atoi(argv[3]));
  if (strcmp(way, "sums-in-a-region") == 0) sums_in_a_region(turns);
  if (strcmp(way, "small-teams") == 0) small_teams(turns);
  if (strcmp(way, "nested") == 0) nested(turns);
  if (strcmp(way, "cancelled") == 0) cancelled(turns);
  if (strcmp(way, "tasks") == 0) tasks(turns);
  if (strcmp(way, "told-at-times") == 0) told_at_times(turns);
  printf("right\n");
  return 0;
}
