// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposes a matrix again and again, and says to Weft which memory each thread will use.
//
//   transpose [ROWS [TURNS]]
//
// Each thread makes rows of the one matrix of columns of the other. A column's elements lie a row
// apart: touched one by one, each page that has one would be a fault. The thread checks out the
// block of columns instead, so that all of it comes at once, and the rows that it overwrites, so
// that they are not fetched at all. In a loop as plain as this one Weft's compiler does the same by
// itself, and the calls save nothing: they are for loops that it cannot see through. On one node
// they do nothing. Compile with weftcc.

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft/weft.h>

static void die(const char* sentence) {
  fprintf(stderr, "transpose: %s\n", sentence);
  exit(1);
}

static void check(int result) {
  if (result != WEFT_OK) die(weft_error_text(result));
}

// Rows `first` to `end` of `to` are columns of `from`.
static void transpose_rows(const double* from, double* to, long size, long first, long end) {
  if (first == end) return;
  const size_t width = sizeof(double) * (size_t)(end - first), row = sizeof(double) * (size_t)size;
  check(weft_check_out_strided_begin(&from[first], width, row, (size_t)size, WEFT_READ));
  check(weft_check_out(&to[first * size], row * (size_t)(end - first), WEFT_OVERWRITE));
  check(weft_check_out_strided(&from[first], width, row, (size_t)size, WEFT_READ));
  for (long i = first; i < end; i++)
    for (long j = 0; j < size; j++) to[i * size + j] = from[j * size + i];
}

int main(int argc, char** argv) {
  const long size = argc > 1 ? atol(argv[1]) : 2000, turns = argc > 2 ? atol(argv[2]) : 10;
  if (size < 1 || turns < 0 || argc > 3) die("usage: transpose [ROWS [TURNS]]");
  double* matrices[2];
  for (int each = 0; each < 2; each++) {
    matrices[each] = malloc(sizeof(double) * (size_t)(size * size));
    if (matrices[each] == NULL) die("There is not enough memory for this many rows.");
  }
#pragma omp parallel for
  for (long i = 0; i < size; i++)
    for (long j = 0; j < size; j++) matrices[0][i * size + j] = (double)(i * size + j);

  for (long turn = 0; turn < turns; turn++) {
#pragma omp parallel
    {
      const long me = omp_get_thread_num(), all = omp_get_num_threads();
      transpose_rows(matrices[turn % 2], matrices[(turn + 1) % 2], size, size * me / all,
                     size * (me + 1) / all);
    }
  }

  const double* result = matrices[turns % 2];
  double checksum = 0;
  for (long i = 0; i < size; i++) {
    for (long j = 0; j < size; j++) {
      const double expected = (double)(turns % 2 == 0 ? i * size + j : j * size + i);
      if (result[i * size + j] != expected) die("An element is wrong.");
      checksum += result[i * size + j] * (double)((i + 3 * j) % 7);
    }
  }
  printf("checksum: %.0f\nverified\n", checksum);
  return 0;
}
