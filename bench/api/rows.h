// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the programs beside this file share: which rows there are, and how they are measured and
// printed. Two processes run each of them. The first asks, and the other one waits in a barrier of
// its system, or takes part in round trips.
//
// Usage: PROGRAM ROW,ROW... [SCALE]
// For each row a line: the row, and microseconds of one operation. SCALE divides the number of
// operations, for tests.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kMemoryBytes = 4 << 20, kMessageBytes = 64, kMulticastBytes = 1024 };

// One after the other, each until it is over; and as many as one likes, until all are over.
enum operation { kPut, kGet, kAdd, kPuts, kGets, kAdds, kMessage, kSignal, kMulticast };
struct row {
  const char* name;
  enum operation operation;
  size_t bytes;
  long count;
};

static const struct row kRows[] = {
    {"put", kPut, 8, 4000},
    {"get", kGet, 8, 4000},
    {"add", kAdd, 8, 4000},
    {"multicast", kMulticast, kMulticastBytes, 2000},
    {"message", kMessage, kMessageBytes, 4000},
    {"signal", kSignal, 8, 4000},
    {"adds", kAdds, 8, 20000},
    {"puts_4", kPuts, 4, 40000},
    {"puts_64", kPuts, 64, 40000},
    {"puts_256", kPuts, 256, 20000},
    {"puts_1408", kPuts, 1408, 10000},
    {"puts_65536", kPuts, 65536, 800},
    {"puts_262144", kPuts, 262144, 200},
    {"puts_1048576", kPuts, 1048576, 50},
    {"gets_65536", kGets, 65536, 800},
    {"gets_262144", kGets, 262144, 200},
    {"gets_1048576", kGets, 1048576, 50},
};

static inline double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static inline int is_among(const char* name, const char* list) {
  const size_t length = strlen(name);
  for (const char* at = list; (at = strstr(at, name)) != NULL; at += length)
    if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) return 1;
  return 0;
}

// What both processes do. `meet` is a barrier; `ask` does so many operations, and returns when all
// are over; `answer` is the other process's part of round trips.
struct system {
  void (*meet)(void);
  void (*ask)(const struct row* row, long count);
  void (*answer)(const struct row* row, long count);
};

static inline double measure(const struct system* system, const struct row* row, long count,
                             int asks) {
  system->meet();
  const double start = now_us();
  if (asks) {
    system->ask(row, count);
  } else if (row->operation == kMessage || row->operation == kSignal) {
    system->answer(row, count);
  }
  const double took = now_us() - start;
  system->meet();
  return took / (double)count;
}

static inline void measure_rows(const struct system* system, const char* wanted, long scale,
                                int asks) {
  for (size_t i = 0; i < sizeof kRows / sizeof kRows[0]; ++i) {
    const struct row* const row = &kRows[i];
    if (!is_among(row->name, wanted)) continue;
    const long count = row->count / scale > 0 ? row->count / scale : 1;
    measure(system, row, count / 10 + 1, asks);
    const double took = measure(system, row, count, asks);
    if (asks) printf("%s %.5f\n", row->name, took);
    fflush(stdout);
  }
}

// Where the i-th operation works, so that they do not all use the same lines.
static inline size_t place_of(const struct row* row, long i) {
  const size_t places = kMemoryBytes / row->bytes;
  return (size_t)i % places * row->bytes;
}
