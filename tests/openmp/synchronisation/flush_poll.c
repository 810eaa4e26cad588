// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain flags that are polled for with flushes, and no flush between data and flag, as in NPB's LU:
// the loop has no flush at all if the flag is set at the first look. Processors with strong order
// forgive that. Here the poller looks when the flag has been stored for certain, and what the flag
// tells of lies in a page of the poller's own.

#include <omp.h>
#include <string.h>

#include "../check.h"

enum { kTurns = 6, kPage = 1024, kStages = 64, kLines = 20, kPlanes = 12 };

typedef struct Mail {
  int padding[7];
  int ready;
} Mail;

static int data[kPage] __attribute__((aligned(4096)));
static int flag[kPage] __attribute__((aligned(4096)));
static int told[kPage] __attribute__((aligned(4096)));
static Mail mail[32] __attribute__((aligned(4096)));
static int limit;

static void wait_until_told(int turn) {
  int now;
  do {
#pragma omp atomic read relaxed
    now = told[0];
  } while (now != turn);
}

static void tell(int turn) {
#pragma omp atomic write relaxed
  told[0] = turn;
}

static void flush_all(void) {
#pragma omp flush
}

// The compiler sees neither whose flag it is nor what it is for.
__attribute__((noinline)) static void store_through(int* where, int value) { *where = value; }

// In each turn the page of the data goes to the poller, that of the flag to the writer. `look`
// polls.
#define POLL(name, store, look)                                                       \
  static void name(int writer, int poller) {                                          \
    _Pragma("omp parallel") for (int turn = 1; turn <= kTurns; ++turn) {              \
      const int me = omp_get_thread_num();                                            \
      if (me == poller) data[0] = -turn;                                              \
      if (me == writer) flag[0] = mail[5].ready = told[0] = 0;                        \
      _Pragma("omp barrier") if (me == writer) {                                      \
        data[0] = turn;                                                               \
        store;                                                                        \
        tell(turn);                                                                   \
      }                                                                               \
      if (me == poller) {                                                             \
        wait_until_told(turn);                                                        \
        look;                                                                         \
        EXPECT(data[0] == turn, #name ": in turn %d the data are %d", turn, data[0]); \
      }                                                                               \
      _Pragma("omp barrier")                                                          \
    }                                                                                 \
  }
#define FLUSH _Pragma("omp flush")

POLL(plain, flag[0] = turn, while (flag[0] != turn){FLUSH})
POLL(behind, flag[0] = turn, do { FLUSH } while (flag[0] != turn))
POLL(breaks, flag[0] = turn, for (;;) { FLUSH if (flag[0] == turn) break; })
POLL(by_name, flag[0] = turn, while (flag[0] != turn) flush_all())
POLL(of_two, flag[0] = turn, while (flag[0] != turn || limit > 5){FLUSH})
POLL(field, mail[5].ready = turn, while (mail[5].ready != turn){FLUSH})
POLL(through, store_through(&flag[0], turn), while (flag[0] != turn){FLUSH})
POLL(flushed, flag[0] = turn, while (flag[0] != turn){FLUSH} FLUSH)
POLL(
    relaxed, { _Pragma("omp atomic write relaxed") flag[0] = turn; }, int seen;
    do { FLUSH _Pragma("omp atomic read relaxed") seen = flag[0]; } while (seen != turn))
POLL(
    found, flag[0] = turn, int is_set = 0; while (!is_set) {
      if (flag[0] == turn) is_set = 1;
      FLUSH
    })
POLL(synchronised, flag[0] = turn, while (flag[0] != turn) __sync_synchronize())

// NPB's LU: each thread has some lines, and the flag of a line is taken back by the next one.
static int ready[kStages * kLines + 1];
static unsigned long plane[kPlanes][kStages * kLines];

static void wavefront(void) {
  memset(ready, 0, sizeof ready);
#pragma omp parallel
  {
    const int stages = omp_get_num_threads() < kStages ? omp_get_num_threads() : kStages;
    const int lines = stages * kLines;
    for (int k = 1; k < kPlanes; ++k) {
#pragma omp for schedule(static) nowait
      for (int j = 0; j < lines; ++j) {
        if (j != 0) {
          while (ready[j - 1] == 0) {
#pragma omp flush
          }
        }
        if (j != lines - 1) {
          while (ready[j] == 1) {
#pragma omp flush
          }
        }
        plane[k][j] = plane[k - 1][j] + 1 + (j != 0 ? plane[k][j - 1] : 0);
        if (j != lines - 1) ready[j] = 1;
        if (j != 0) ready[j - 1] = 0;
      }
    }
  }
  unsigned long expected[kStages * kLines] = {0};
  const int lines = (omp_get_max_threads() < kStages ? omp_get_max_threads() : kStages) * kLines;
  for (int k = 1; k < kPlanes; ++k) {
    for (int j = 0; j < lines; ++j) {
      expected[j] += 1 + (j != 0 ? expected[j - 1] : 0);
      EXPECT(plane[k][j] == expected[j], "plane %d, line %d is %lu", k, j, plane[k][j]);
    }
  }
}

static void all(int writer, int poller) {
  plain(writer, poller);
  behind(writer, poller);
  breaks(writer, poller);
  by_name(writer, poller);
  of_two(writer, poller);
  field(writer, poller);
  through(writer, poller);
  flushed(writer, poller);
  relaxed(writer, poller);
  found(writer, poller);
  synchronised(writer, poller);
}

int main(void) {
  const int last = omp_get_max_threads() - 1;
  if (last == 0) return ok();
  all(last, 0);
  all(0, last);
  wavefront();
  return ok();
}
