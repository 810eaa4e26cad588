// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -D_GNU_SOURCE
//
// Standard output that is sent to a file is sent there on all nodes, in order, and comes back.

#include <fcntl.h>
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "../check.h"

static char name[] = "/tmp/weft-output-XXXXXX";

static void print_in_turn(const char* word) {
#pragma omp parallel
  for (int turn = 0; turn < omp_get_num_threads(); ++turn) {
    if (turn == omp_get_thread_num()) printf("%s %d\n", word, turn);
#pragma omp barrier
  }
  fflush(stdout);
}

static void expect_lines(const char* word, int from) {
  char line[100], want[100];
  FILE* file = fopen(name, "r");
  EXPECT(file != NULL, "fopen");
  for (int i = 0; i < from; ++i)
    EXPECT(fgets(line, sizeof line, file) != NULL, "there are %d lines", i);
  for (int turn = 0; turn < omp_get_max_threads(); ++turn) {
    snprintf(want, sizeof want, "%s %d\n", word, turn);
    EXPECT(fgets(line, sizeof line, file) != NULL && strcmp(line, want) == 0, "%s instead of %s",
           line, want);
  }
  EXPECT(fgets(line, sizeof line, file) == NULL, "there is one more line: %s", line);
  fclose(file);
}

int main(void) {
  close(mkstemp(name));
  fflush(stdout);
  const int saved = dup(1), file = open(name, O_WRONLY | O_TRUNC);
  EXPECT(dup2(file, 1) == 1, "dup2");
  close(file);
  print_in_turn("first");
  expect_lines("first", 0);
  dup2(saved, 1);
  print_in_turn("# between");
  expect_lines("first", 0);
#pragma omp parallel
  if (omp_get_thread_num() == omp_get_num_threads() - 1)
    EXPECT(freopen(name, "a", stdout) == stdout, "freopen");
  print_in_turn("second");
  expect_lines("second", omp_get_max_threads());
  dup2(saved, 1);
  unlink(name);
  return ok();
}
