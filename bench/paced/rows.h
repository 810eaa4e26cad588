// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the programs beside this file share: their command line, and how a row is measured and
// printed.
//
// Usage: PROGRAM ROW,ROW... MICROSECONDS,MICROSECONDS... [SCALE]
// For each row, and each amount of computing between two operations, a line: the row, the
// computing, and the microseconds that an operation took beyond it. SCALE divides the number of
// operations, for tests.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spin.h"

// An operation is asked of a peer that computes for so long; half of it is used, so the peer still
// computes then.
enum {
  kStretchMicroseconds = 100000,
  kAskingMicroseconds = 50000,
  kTablePages = 65536,
  kPageWords = 512
};

struct pace {
  int computing_us;
  long count;           // of operations
  unsigned long turns;  // of computing between two of them
  unsigned long turns_in_a_microsecond;
  double reference_us;  // what the computing takes by itself
};

// By all threads at once. Fewer operations where much is computed: each row takes some tens of
// milliseconds.
static inline struct pace pace_of(int computing_us, unsigned long turns_in_a_microsecond,
                                  long scale) {
  struct pace pace = {0};
  pace.computing_us = computing_us;
  pace.count = (computing_us == 0 ? 2000 : computing_us <= 10 ? 1000 : 300) / scale;
  pace.turns = turns_in_a_microsecond * (unsigned long)computing_us;
  pace.turns_in_a_microsecond = turns_in_a_microsecond;
  pace.reference_us = undisturbed_us(pace.turns);
  return pace;
}

static inline int is_among(const char* name, const char* list) {
  const size_t length = strlen(name);
  for (const char* at = list; (at = strstr(at, name)) != NULL; at += length)
    if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) return 1;
  return 0;
}

static inline void print_row(const char* name, const struct pace* pace, double us) {
  printf("%s %d %.4f\n", name, pace->computing_us, us);
  fflush(stdout);
}

struct row {
  const char* name;
  double (*measure)(const struct pace* pace);
};

// Those that are wanted, each after some operations that do not count.
static inline void measure_rows(const struct row* rows, size_t count, const char* wanted,
                                struct pace pace, int prints) {
  struct pace warm = pace;
  warm.count = warm.count / 10 + 1;
  for (size_t i = 0; i < count; ++i) {
    if (!is_among(rows[i].name, wanted)) continue;
    rows[i].measure(&warm);
    const double took = rows[i].measure(&pace);
    if (prints) print_row(rows[i].name, &pace, took);
  }
}

// The page that is asked for in turn: all pages of the table, each once, in an order that nobody
// can guess.
static inline unsigned page_in_turn(unsigned turn) {
  return (turn * 40503u + 12345u) % kTablePages;
}
