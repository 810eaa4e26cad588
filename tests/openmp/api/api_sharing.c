// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explicit sharing of weft/weft.h: results are those without it, wherever it is said, and bad use
// is refused with the codes of the reference.
//
// environment: WEFT_SPREAD=always

#include <omp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <weft/weft.h>

#include "../check.h"

enum { kPage = 4096 / sizeof(double), kRows = 48, kColumns = 3 * kPage + 100, kTurns = 6 };

static double from[kRows][kColumns], to[kRows][kColumns];

static int good(int error) {
  EXPECT(error == WEFT_OK, "refused: %s", weft_error_text(error));
  return error;
}

static double value(int turn, int row, int column) { return turn * 1e6 + row * 1e3 + column % 997; }

// Each thread makes rows of others' rows, and says so in one way or the other.
static void turns(void) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), all = omp_get_num_threads();
    for (int turn = 0; turn < kTurns; turn++) {
      const int first = kRows * me / all, end = kRows * (me + 1) / all;
      const size_t bytes = sizeof from[0] * (size_t)(end - first);
      if (bytes > 0 && turn % 3 == 0) {
        good(weft_check_out(from[first], bytes, WEFT_OVERWRITE));
      } else if (bytes > 0 && turn % 3 == 1) {
        good(weft_check_out_begin(from[first], bytes, WEFT_READ | WEFT_WRITE));
        good(weft_check_out(from[first], bytes, WEFT_WRITE));
      }
      for (int row = first; row < end; row++) {
        for (int column = 0; column < kColumns; column++)
          from[row][column] = value(turn, row, column);
        if (turn % 2 == 0) good(weft_commit(from[row], sizeof from[row]));
      }
#pragma omp barrier
      // Columns of all rows.
      const int left = kColumns * me / all, right = kColumns * (me + 1) / all;
      const size_t width = sizeof(double) * (size_t)(right - left);
      if (turn % 2 == 0) {
        good(weft_check_out_strided(&from[0][left], width, sizeof from[0], kRows, WEFT_READ));
        good(weft_check_out_strided(&to[0][left], width, sizeof to[0], kRows, WEFT_OVERWRITE));
      } else {
        good(weft_check_out_strided_begin(&from[0][left], width, sizeof from[0], kRows, WEFT_READ));
      }
      for (int row = 0; row < kRows; row++)
        for (int column = left; column < right; column++)
          to[row][column] = from[row][column] + 1;
      good(weft_commit_strided(&to[0][left], width, sizeof to[0], kRows));
#pragma omp barrier
      for (int row = 0; row < kRows; row++)
        for (int column = 0; column < kColumns; column += 7)
          EXPECT(to[row][column] == value(turn, row, column) + 1, "turn %d: %g at %d, %d", turn,
                 to[row][column], row, column);
#pragma omp barrier
    }
  }
}

// The last thread writes a word, commits it and only looks on: it releases nothing. The word's home
// sees it nevertheless.
static void commit_goes_at_once(void) {
  double* word = weft_alloc_on(0, 64);
  int* seen = weft_alloc_on(0, 64);
  word[0] = 1;
  *seen = 0;
#pragma omp parallel
  {
    const int last = omp_get_num_threads() - 1;
    if (omp_get_thread_num() == last) {
      word[0] = 2;
      good(weft_commit(word, sizeof *word));
      while (__atomic_load_n(seen, __ATOMIC_RELAXED) == 0 && last > 0) {
      }
    } else if (omp_get_thread_num() == 0) {
      double found = 0;
      do {
        __atomic_load(word, &found, __ATOMIC_RELAXED);
      } while (found != 2);
      __atomic_store_n(seen, 1, __ATOMIC_RELAXED);
    }
  }
  EXPECT(word[0] == 2, "it is %g", word[0]);
  free(word);
  free(seen);
}

static void refusals(void) {
  const size_t bytes = sizeof from;
  for (int access = -1; access <= 8; access++) {
    const int is_right = access == WEFT_READ || access == WEFT_WRITE ||
                         access == (WEFT_READ | WEFT_WRITE) || access == WEFT_OVERWRITE ||
                         access == (WEFT_WRITE | WEFT_OVERWRITE);
    const int found = weft_check_out_begin(to, sizeof(double), access);
    EXPECT(found == (is_right ? WEFT_OK : WEFT_ERROR_ACCESS), "access %d gives %d", access, found);
    EXPECT(weft_check_out(to, sizeof(double), access) == found, "waiting makes a difference");
    EXPECT(weft_check_out_strided(to, 8, 8, 1, access) == found, "strides make a difference");
    EXPECT(weft_check_out_strided_begin(to, 8, 8, 1, access) == found, "neither may waiting");
  }
  EXPECT(weft_check_out(from, SIZE_MAX, WEFT_READ) == WEFT_ERROR_SIZE, "too many bytes");
  EXPECT(weft_commit(from, SIZE_MAX) == WEFT_ERROR_SIZE, "too many bytes to commit");
  EXPECT(weft_check_out_strided(from, 8, 7, 2, WEFT_READ) == WEFT_ERROR_SIZE, "overlapping");
  EXPECT(weft_check_out_strided(from, 8, SIZE_MAX / 2, 3, WEFT_READ) == WEFT_ERROR_SIZE, "strides");
  EXPECT(weft_commit_strided(from, 8, SIZE_MAX / 2, 3) == WEFT_ERROR_SIZE, "commit's strides");
  EXPECT(weft_check_out(NULL, 8, WEFT_READ) == WEFT_ERROR_RANGE, "null");
  EXPECT(weft_commit(NULL, 8) == WEFT_ERROR_RANGE, "null to commit");
  // No bytes are nothing, wherever they are.
  EXPECT(weft_check_out(NULL, 0, WEFT_READ) == WEFT_OK, "no bytes");
  EXPECT(weft_check_out_strided(from, 0, 0, 9, WEFT_READ) == WEFT_OK, "no bytes in a block");
  EXPECT(weft_commit_strided(from, 8, 0, 0) == WEFT_OK, "no blocks");
  // Memory that is not shared: all of it is on one node.
  const void* code = (const void*)(uintptr_t)&refusals;
  const int outside = weft_nodes() == 1 ? WEFT_OK : WEFT_ERROR_RANGE;
  EXPECT(weft_check_out(code, 8, WEFT_READ) == outside, "code gives %d",
         weft_check_out(code, 8, WEFT_READ));
  EXPECT(weft_commit(code, 8) == outside, "code is committed");
  EXPECT(weft_check_out(from, bytes + ((size_t)1 << 44), WEFT_READ) == outside, "beyond all");
}

static volatile sig_atomic_t said_in_handler = 1;
static void handler(int signal) {
  (void)signal;
  said_in_handler = weft_check_out(from, sizeof from, WEFT_OVERWRITE) + weft_commit(from, 8);
}

// A handler may say anything, and is not heard.
static void in_handler(void) {
  from[0][1] = 42;
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  EXPECT(said_in_handler == WEFT_OK, "a handler is told %d", (int)said_in_handler);
  EXPECT(from[0][1] == 42, "a handler has overwritten: %g", from[0][1]);
}

int main(void) {
  turns();
  commit_goes_at_once();
  refusals();
  in_handler();
  return ok();
}
