// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -D_GNU_SOURCE
//
// Standard streams that a thread closes are closed for all; what is opened next takes their place,
// for all. As in one process.

#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "../check.h"

static char name[] = "/tmp/weft-closing-XXXXXX";

static int me(void) { return omp_get_thread_num(); }
static bool is_last(void) { return me() == omp_get_num_threads() - 1; }

static void expect_closed(int descriptor) {
#pragma omp parallel
  {
    char byte = 'x';
    errno = 0;
    const bool reads = descriptor == 0;
    const ssize_t count = reads ? read(descriptor, &byte, 1) : write(descriptor, &byte, 1);
    EXPECT(count == -1 && errno == EBADF, "thread %d: descriptor %d is open", me(), descriptor);
  }
}

static void expect_lines(int count) {
  FILE* file = fopen(name, "r");
  int lines = 0, sum = 0, value;
  while (fscanf(file, "line %d\n", &value) == 1) {
    ++lines;
    sum += value;
  }
  EXPECT(lines == count && sum == count * (count - 1) / 2, "%d lines, of sum %d", lines, sum);
  fclose(file);
}

// By the last thread; then the file gets what all print.
static void output(bool by_dup) {
  const int saved = dup(1);
#pragma omp parallel
  if (is_last()) EXPECT(close(1) == 0 && close(1) == -1 && errno == EBADF, "close");
  expect_closed(1);
  const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  EXPECT(file == 1, "opened at %d", file);
  if (by_dup) {
    const int other = dup2(file, 900);
    EXPECT(close(1) == 0 && dup(other) == 1 && close(other) == 0, "dup");
  }
#pragma omp parallel
  {
    printf("line %d\n", me());
    fflush(stdout);
  }
  EXPECT(dup2(saved, 1) == 1 && close(saved) == 0, "dup2");
  expect_lines(omp_get_max_threads());
}

static void input(void) {
#pragma omp parallel
  if (is_last()) EXPECT(close(0) == 0 && close(0) == -1 && errno == EBADF, "close");
  expect_closed(0);
  EXPECT(open(name, O_RDONLY) == 0, "standard input");
#pragma omp parallel
  if (is_last()) EXPECT(getchar() == 'l', "getchar");
}

static void streams(void) {
#pragma omp parallel
  if (is_last()) EXPECT(fclose(stderr) == 0, "fclose");
  expect_closed(2);
}

int main(void) {
  close(mkstemp(name));
  for (int by_dup = 0; by_dup < 2; ++by_dup) output(by_dup);
  input();
  streams();
  unlink(name);
  return ok();
}
