// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints of weft/hints.h: results are those without them, wherever they are said and however wrong
// they are; homes go where it is said; bad use is refused with the codes of the reference.
//
// environment: WEFT_SPREAD=always

#include <omp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <weft/hints.h>

#include "../check.h"

enum { kPage = 4096, kPages = 60, kRow = kPage / sizeof(double), kTurns = 9 };

static double rows[kPages][kRow] __attribute__((aligned(kPage)));

static omp_lock_t lock;
static int sum;

static void good(int error) { EXPECT(error == WEFT_OK, "refused: %s", weft_error_text(error)); }

// Says everything of all of it, in turn, right or wrong.
static void say(int turn) {
  const size_t bytes = sizeof rows;
  const weft_distribution how = turn % 3 == 0 ? WEFT_BLOCK : turn % 3 == 1 ? WEFT_CYCLIC : 0;
  switch (turn % 8) {
    case 0:
      return good(weft_broadcast(rows, bytes));
    case 1:
      return good(weft_scatter(rows, bytes, sizeof rows[0] / 3, how));
    case 2:
      return good(weft_gather(&rows[3][7], bytes / 2));
    case 3:
      return good(weft_alltoall(rows, bytes));
    case 4:
      return good(weft_home(&rows[1][5], bytes / 2, sizeof(double) * 100, how));
    case 5:
      return good(weft_read_mostly(&rows[9][9], bytes / 3));
    case 6:
      return good(weft_private_after_init(rows, bytes));
    case 7:
      return good(weft_migrate_with(rows, bytes, &lock));
  }
}

// Threads write rows that lie together, and words that lie between others'.
static void compute(int turn, int said_inside) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), all = omp_get_num_threads();
    if (said_inside) say(turn);
#pragma omp for
    for (int row = 0; row < kPages; row++)
      for (int column = 0; column < kRow; column++) rows[row][column] += row + column;
    if (said_inside) say(turn + 3);
    for (int row = 0; row < kPages; row++)
      for (int column = me; column < kRow; column += all) rows[row][column] += turn;
    if (said_inside) say(turn + 1);
#pragma omp barrier
#pragma omp for
    for (int row = kPages - 1; row >= 0; row--)
      for (int column = 0; column < kRow; column++) {
        const double each = (double)(turn + 1) * (row + column) + turn * (turn + 1) / 2.0;
        EXPECT(rows[row][column] == each, "turn %d: %g at %d, %d, not %g", turn, rows[row][column],
               row, column, each);
      }
  }
}

static void results_stay(int said_inside) {
  memset(rows, 0, sizeof rows);
  for (int turn = 0; turn < kTurns; turn++) {
    if (!said_inside) {
      say(turn);
      say(turn + 2);
      say(turn);
    }
    compute(turn, said_inside);
  }
  good(weft_forget_hints(rows, sizeof rows));
}

static int threads, nodes;

// Of the unit, as schedule(static) or schedule(static, 1) deals iterations.
static int node_of(size_t unit, size_t units, weft_distribution how) {
  const size_t each = units / (size_t)threads, longer = units % (size_t)threads;
  size_t thread = 0;
  if (how >= 0) return how;
  if (how == WEFT_CYCLIC)
    thread = unit % (size_t)threads;
  else if (unit < longer * (each + 1))
    thread = unit / (each + 1);
  else
    thread = longer + (unit - longer * (each + 1)) / each;
  return (int)(thread / (size_t)(threads / nodes));
}

static void check_homes(const char* memory, size_t bytes, size_t unit, weft_distribution how) {
  const char* next = memory;
  for (const char* at = memory; at < memory + bytes; at = next) {
    next = (const char*)((uintptr_t)at / kPage * kPage + kPage);
    const int expected = node_of((size_t)(at - memory) / unit, (bytes - 1) / unit + 1, how);
    EXPECT(weft_home_of(at) == expected,
           "distribution %d of %zu bytes: byte %zd has its home on %d, not %d", how, unit,
           at - memory, weft_home_of(at), expected);
  }
}

// Memory that nobody has used, or that node 0 has written, with the hint said outside of regions or
// in one.
static void homes(size_t unit, weft_distribution how, int is_used, int said_inside) {
  const size_t bytes = 40 * kPage;
  char* memory = aligned_alloc(kPage, bytes);
  EXPECT(memory != NULL, "no memory");
  if (is_used) memset(memory, 7, bytes);
  if (!said_inside) good(weft_home(memory, bytes, unit, how));
#pragma omp parallel
  {
#pragma omp barrier
    if (said_inside) good(weft_home(memory, bytes, unit, how));
#pragma omp barrier
    check_homes(memory, bytes, unit, how);
#pragma omp for
    for (size_t i = 0; i < bytes; i++)
      EXPECT(!is_used || memory[i] == 7, "byte %zu is %d", i, memory[i]);
  }
  check_homes(memory, bytes, unit, how);
  free(memory);
}

// Several nodes write the pages in the same epoch: their homes may stay, and all that was written
// does.
static void homes_in_dispute(void) {
  char* memory = aligned_alloc(kPage, 16 * kPage);
  EXPECT(memory != NULL, "no memory");
  memset(memory, 1, 16 * kPage);
#pragma omp parallel
  for (int turn = 0; turn < 4; turn++) {
    good(weft_home(memory, 16 * kPage, kPage, WEFT_CYCLIC));
    for (int i = omp_get_thread_num(); i < 16 * kPage; i += threads) memory[i]++;
    good(weft_home(memory, 16 * kPage, kPage, WEFT_BLOCK));
#pragma omp barrier
    for (int i = 0; i < 16 * kPage; i++)
      EXPECT(memory[i] == turn + 2, "byte %d is %d in turn %d", i, memory[i], turn);
#pragma omp barrier
  }
  free(memory);
}

// What threads do to memory that is said to come with a lock, and some of it does not.
static void under_lock(void) {
  enum { kRounds = 20 };
  memset(rows, 0, sizeof rows);
  sum = 0;
  for (int turn = 0; turn < 2; turn++) {
    good(weft_migrate_with(rows, sizeof rows / 2, &lock));
#pragma omp parallel
    for (int i = 0; i < kRounds; i++) {
      if (i == kRounds / 2) good(weft_migrate_with(rows, sizeof rows, &lock));
      omp_set_lock(&lock);
      sum++;
      for (int row = i % 7; row < kPages; row += 7) rows[row][i]++;
      omp_unset_lock(&lock);
#pragma omp barrier
    }
  }
  EXPECT(sum == 2 * kRounds * threads, "the sum is %d", sum);
  for (int i = 0; i < kRounds; i++)
    for (int row = i % 7; row < kPages; row += 7)
      EXPECT(rows[row][i] == 2 * threads, "%g at %d, %d", rows[row][i], row, i);
}

static void refusals(void) {
  EXPECT(weft_broadcast(rows, SIZE_MAX) == WEFT_ERROR_SIZE, "too many bytes");
  EXPECT(weft_home(rows, SIZE_MAX, 8, WEFT_BLOCK) == WEFT_ERROR_SIZE, "too many bytes for homes");
  EXPECT(weft_gather(NULL, 8) == WEFT_ERROR_RANGE, "null");
  EXPECT(weft_alltoall(NULL, 0) == WEFT_OK, "no bytes");
  EXPECT(weft_scatter(rows, 8, 0, WEFT_BLOCK) == WEFT_ERROR_DISTRIBUTION, "units without bytes");
  EXPECT(weft_scatter(rows, 8, 1, -3) == WEFT_ERROR_DISTRIBUTION, "distribution -3");
  EXPECT(weft_home(rows, 8, 1, nodes) == WEFT_ERROR_DISTRIBUTION, "node %d of as many", nodes);
  EXPECT(weft_home(rows, 8, 1, nodes - 1) == WEFT_OK, "node %d", nodes - 1);
  EXPECT(weft_migrate_with(rows, 8, NULL) == WEFT_ERROR_RANGE, "no lock");
  EXPECT(weft_migrate_with_critical(rows, 8, "nobodys") == WEFT_ERROR_NAME, "no region");
  good(weft_migrate_with_critical(rows, 8, "named"));
  good(weft_migrate_with_critical(rows, 8, ""));
#pragma omp critical(named)
  sum = 1;
#pragma omp critical
  sum = 0;
  EXPECT(weft_forget_hints(NULL, 8) == WEFT_ERROR_RANGE, "null to forget");
  EXPECT(strstr(weft_error_text(WEFT_ERROR_DISTRIBUTION), "distribution") != NULL,
         "an error without a sentence");
  // Memory that is not shared: all of it is on one node.
  const void* code = (const void*)(uintptr_t)&refusals;
  const int outside = nodes == 1 ? WEFT_OK : WEFT_ERROR_RANGE;
  EXPECT(weft_read_mostly(code, 8) == outside, "code gives %d", weft_read_mostly(code, 8));
  EXPECT(weft_forget_hints(rows, sizeof rows) == WEFT_OK, "nothing to forget");
}

static volatile sig_atomic_t said_in_handler = 1;
static void handler(int signal) {
  (void)signal;
  said_in_handler = weft_broadcast(rows, sizeof rows) + weft_home(rows, sizeof rows, 8, WEFT_BLOCK);
}

int main(void) {
#pragma omp parallel
#pragma omp single
  threads = omp_get_num_threads();
  nodes = weft_nodes();
  omp_init_lock(&lock);
  results_stay(0);
  results_stay(1);
  for (int way = 0; way < 4; way++) {
    homes(sizeof(double), WEFT_BLOCK, way & 1, way & 2);
    homes(kPage, WEFT_CYCLIC, way & 1, way & 2);
    homes(3 * kPage / 2, WEFT_CYCLIC, way & 1, way & 2);
    homes(1, nodes - 1, way & 1, way & 2);
  }
  homes_in_dispute();
  under_lock();
  refusals();
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  EXPECT(said_in_handler == WEFT_OK, "a handler is told %d", (int)said_in_handler);
  return ok();
}
