// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks values up in a table, by an index that only the data know, and says to Weft how the threads
// share the arrays: `#pragma weft`. Compilers other than weftcc ignore that.
//
//   smooth [VALUES [TURNS]]
//
// Each value is replaced by the mean of itself and one that its index names, anywhere in the array.
// So each node needs the whole array in each turn, in no order that Weft could see ahead: touched
// one by one, each page would be a fault in the first turn. The hints bring all of it at once, and put
// each thread's part of the arrays on its own node from the start.

#include <stdio.h>
#include <stdlib.h>

static void die(const char* sentence) {
  fprintf(stderr, "smooth: %s\n", sentence);
  exit(1);
}

static void* array_of(long count, size_t bytes) {
  void* const memory = malloc((size_t)count * bytes);
  if (memory == NULL) die("There is not enough memory for this many values.");
  return memory;
}

// Fills in what one thread alone knows.
static void make_input(double* values, long* index, long count) {
  unsigned long random = 1;
  for (long i = 0; i < count; i++) {
    random = random * 6364136223846793005UL + 1442695040888963407UL;
    values[i] = (double)(i % 1000);
    index[i] = (long)((random >> 33) % (unsigned long)count);
  }
}

static void smooth(double* from, double* to, const long* index, long count, long turns) {
#pragma weft home(from[0:count], to[0:count] : block)
#pragma weft scatter(index[0:count] : block)
#pragma omp parallel
  for (long turn = 0; turn < turns; turn++) {
    double* const old = turn % 2 == 0 ? from : to;
    double* const new = turn % 2 == 0 ? to : from;
#pragma weft broadcast(old[0:count])
#pragma omp for schedule(static)
    for (long i = 0; i < count; i++) new[i] = (old[i] + old[index[i]]) / 2;
  }
}

int main(int argc, char** argv) {
  const long count = argc > 1 ? atol(argv[1]) : 1000000, turns = argc > 2 ? atol(argv[2]) : 10;
  if (count < 1 || turns < 0 || argc > 3) die("usage: smooth [VALUES [TURNS]]");
  double* values[4];
  for (int each = 0; each < 4; each++) values[each] = array_of(count, sizeof(double));
  long* const index = array_of(count, sizeof(long));
  make_input(values[0], index, count);
  smooth(values[0], values[1], index, count, turns);

  // The same by one thread.
  make_input(values[2], index, count);
  for (long turn = 0; turn < turns; turn++) {
    const double* const old = values[2 + turn % 2];
    for (long i = 0; i < count; i++) values[3 - turn % 2][i] = (old[i] + old[index[i]]) / 2;
  }
  double checksum = 0;
  for (long i = 0; i < count; i++) {
    if (values[turns % 2][i] != values[2 + turns % 2][i]) die("A value is wrong.");
    checksum += values[turns % 2][i] * (double)(i % 7);
  }
  printf("checksum: %.10e\nverified\n", checksum);
  return 0;
}
