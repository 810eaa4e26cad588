// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -D_GNU_SOURCE
//
// Standard input is one: threads of all nodes read on where the last one has stopped, in each of
// the ways to read; and it can be replaced by any thread.

#include <fcntl.h>
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { kWays = 9 };

static char name[] = "/tmp/weft-input-XXXXXX";

static void make_file(int lines) {
  FILE* file = fopen(name, "w");
  EXPECT(file != NULL, "fopen");
  for (int i = 0; i < lines; ++i) fprintf(file, "%d\n", 100 + i);
  fclose(file);
}

static int by_characters(int (*get)(void)) {
  int value = 0;
  for (int c = get(); c != '\n' && c != EOF; c = get()) value = value * 10 + c - '0';
  return value;
}
static int with_getchar(void) { return getchar(); }
static int with_getc(void) { return getc(stdin); }
static int with_getc_unlocked(void) { return getc_unlocked(stdin); }

// The line's number.
static int read_line(int way) {
  int value = -1;
  char text[20] = "", *line = NULL;
  size_t capacity = 0;
  switch (way) {
    case 0:
      EXPECT(scanf("%d", &value) == 1 && getchar() == '\n', "scanf");
      return value;
    case 1:
      EXPECT(fscanf(stdin, "%d\n", &value) == 1, "fscanf");
      return value;
    case 2:
      return by_characters(with_getchar);
    case 3:
      return by_characters(with_getc);
    case 4:
      return by_characters(with_getc_unlocked);
    case 5:
      EXPECT(fgets(text, sizeof text, stdin) == text, "fgets");
      return atoi(text);
    case 6:
      EXPECT(getline(&line, &capacity, stdin) == 4, "getline");
      value = atoi(line);
      free(line);
      return value;
    case 7:
      EXPECT(fread(text, 1, 4, stdin) == 4, "fread");
      return atoi(text);
    default:
      text[0] = (char)getchar();
      EXPECT(ungetc(text[0], stdin) == text[0], "ungetc");
      EXPECT(fgets(text, sizeof text, stdin) == text, "fgets");
      return atoi(text);
  }
}

static void each_reads_on(void) {
  const int team = omp_get_max_threads();
  static int next = 100;
  next = 100;
#pragma omp parallel
  for (int turn = 0; turn < team; ++turn) {
    if (turn == omp_get_thread_num())
      for (int way = 0; way < kWays; ++way) {
        const int value = read_line(way);
        EXPECT(value == next, "thread %d, way %d: %d instead of %d", turn, way, value, next);
        ++next;
      }
#pragma omp barrier
  }
#pragma omp parallel
  EXPECT(getchar() == EOF && feof(stdin), "thread %d: there is more", omp_get_thread_num());
}

static void descriptors_too(void) {
  const int team = omp_get_max_threads();
  EXPECT(lseek(0, 0, SEEK_SET) == 0, "lseek");
#pragma omp parallel
  for (int turn = 0; turn < team; ++turn) {
    char text[5] = "";
    if (turn == omp_get_thread_num())
      EXPECT(read(0, text, 4) == 4 && atoi(text) == 100 + turn, "thread %d: %s", turn, text);
#pragma omp barrier
  }
}

int main(void) {
  const int team = omp_get_max_threads();
  close(mkstemp(name));
  make_file(team * kWays);
  EXPECT(freopen(name, "r", stdin) == stdin, "freopen");
  each_reads_on();
#pragma omp parallel
  if (omp_get_thread_num() == team - 1)
    EXPECT(freopen(name, "r", stdin) == stdin, "freopen, thread %d", team - 1);
  each_reads_on();
  const int file = open(name, O_RDONLY);
#pragma omp parallel
  if (omp_get_thread_num() == team - 1) EXPECT(dup2(file, 0) == 0, "dup2, thread %d", team - 1);
  descriptors_too();
  unlink(name);
  return ok();
}
