// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relaxed atomic operations whose results are used, as the argument names them: kTurns of each thread. tests/api/run
// counts how many of them each node sends to a home, and does at the home without it.
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { kTurns = 1000, kRounds = 10, kMostThreads = 64, kPoints = 4096 };

static struct {
  long counter;
  double sum;
  long own[kMostThreads];  // beside it, stored plainly
} page __attribute__((aligned(4096)));
static long found[kMostThreads];
static int parents[kPoints];  // of a forest, each tree of which is a component of a graph
static int joined;

static int is(const char* way, const char* name) { return strcmp(way, name) == 0; }

static long take_ticket(void) {
  long ticket;
#pragma omp atomic capture
  ticket = page.counter++;
  return ticket;
}

// Each ticket is found once.
static int tickets(int threads) {
  long total = 0;
#pragma omp parallel
  for (int turn = 0; turn < kTurns; ++turn) found[omp_get_thread_num()] += take_ticket();
  const long count = (long)threads * kTurns;
  for (int thread = 0; thread < threads; ++thread) total += found[thread];
  return page.counter == count && total == count * (count - 1) / 2;
}

// A loop of compare and swap.
static int sums(int threads) {
#pragma omp parallel
  for (int turn = 0; turn < kTurns; ++turn) {
    double before;
#pragma omp atomic capture
    {
      before = page.sum;
      page.sum += 0.5;
    }
    if (before < 0) found[omp_get_thread_num()] = 1;
  }
  return page.sum == 0.5 * threads * kTurns;
}

// Plain stores beside the counter, barriers between, and regions around.
static int mixed(int threads) {
  int right = 1;
  for (int round = 1; round <= kRounds; ++round) {
#pragma omp parallel reduction(& : right)
    {
      const int me = omp_get_thread_num();
      for (int turn = 0; turn < kTurns / kRounds; ++turn) {
        if (turn % 16 == 0) page.own[me] = (long)round * kTurns + turn;
        found[me] += take_ticket();
      }
#pragma omp barrier
      for (int thread = 0; thread < threads; ++thread) {
        if (page.own[thread] / kTurns != round) right = 0;
      }
      if (page.counter != (long)round * threads * (kTurns / kRounds)) right = 0;
#pragma omp barrier
    }
  }
  return right;
}

static int root_of(int point) {
  for (;;) {
    const int parent = __atomic_load_n(&parents[point], __ATOMIC_RELAXED);
    if (parent == point) return point;
    point = parent;
  }
}

// The greater root goes below the lesser one, unless it is no root any more.
static void join(int left, int right) {
  for (;;) {
    left = root_of(left);
    right = root_of(right);
    if (left == right) return;
    const int lesser = left < right ? left : right;
    int greater = left < right ? right : left;
    if (!__atomic_compare_exchange_n(&parents[greater], &greater, lesser, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) continue;
    __atomic_fetch_add(&joined, 1, __ATOMIC_RELAXED);
    return;
  }
}

// All edges of a ring, by all threads at once: each tree is joined to another exactly once.
static int graph(int threads) {
  for (int point = 0; point < kPoints; ++point) parents[point] = point;
  joined = 0;
#pragma omp parallel
  for (int turn = 0; turn < kTurns; ++turn) {
    const int point = (turn * threads + omp_get_thread_num()) % kTurns;
    join(point, (point + 1) % kTurns);
  }
  for (int point = 0; point < kTurns; ++point) {
    if (root_of(point) != 0) return 0;
  }
  return joined == kTurns - 1;
}

int main(int count, char** words) {
  const char* way = count > 1 ? words[1] : "tickets";
  const int threads = omp_get_max_threads();
  int right = 0;
  if (is(way, "tickets")) right = tickets(threads);
  if (is(way, "sums")) right = sums(threads);
  if (is(way, "mixed")) right = mixed(threads);
  if (is(way, "graph")) right = graph(threads);
  puts(right ? "right" : "wrong");
  return 0;
}
