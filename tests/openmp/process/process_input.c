// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -D_GNU_SOURCE
//
// Standard input is one: threads of all nodes read on where the last one has stopped, in each of
// the ways to read; and it can be replaced by any thread.

#include <fcntl.h>
#include <omp.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>
#include <wchar.h>

#include "../check.h"

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

// Whether there is something to read is asked about node 0's, whoever asks.
static bool has_input(int way, int milliseconds) {
  struct pollfd one = {0, POLLIN, 0};
  if (way == 0) return poll(&one, 1, milliseconds) == 1 && (one.revents & POLLIN) != 0;
  fd_set set;
  FD_ZERO(&set);
  FD_SET(0, &set);
  struct timeval timeout = {milliseconds / 1000, milliseconds % 1000 * 1000};
  return select(1, &set, NULL, NULL, &timeout) == 1 && FD_ISSET(0, &set);
}

static void waits(void) {
  const int team = omp_get_max_threads();
  int ends[2];
  EXPECT(pipe(ends) == 0 && dup2(ends[0], 0) == 0, "pipe");
#pragma omp parallel
  for (int way = 0; way < 2; ++way) {
    for (int turn = 0; turn < team; ++turn) {
      if (turn == omp_get_thread_num())
        EXPECT(!has_input(way, 0) && !has_input(way, 3), "thread %d, way %d: there is input", turn,
               way);
#pragma omp barrier
      if (omp_get_thread_num() == 0) EXPECT(write(ends[1], "x", 1) == 1, "write");
      if (turn == omp_get_thread_num()) {
        char byte;
        EXPECT(has_input(way, 60000), "thread %d, way %d: there is none", turn, way);
        EXPECT(read(0, &byte, 1) == 1 && byte == 'x', "read");
      }
#pragma omp barrier
    }
  }
  close(ends[0]);
  close(ends[1]);
}

// Each reads three lines on, by wide characters.
static void wide_characters(void) {
  const int team = omp_get_max_threads();
  EXPECT(freopen(name, "r", stdin) == stdin, "freopen");
#pragma omp parallel
  for (int turn = 0; turn < team; ++turn) {
    if (turn == omp_get_thread_num()) {
      const int wanted = 100 + 3 * turn;
      int first = 0, second = 0;
      wchar_t third[20] = L"";
      for (wint_t c = getwchar(); c != L'\n'; c = getwchar()) first = first * 10 + (int)(c - L'0');
      for (wint_t c = fgetwc(stdin); c != L'\n'; c = fgetwc(stdin))
        second = second * 10 + (int)(c - L'0');
      EXPECT(ungetwc(getwc(stdin), stdin) == L'1', "ungetwc");
      EXPECT(fgetws(third, 20, stdin) == third, "fgetws");
      EXPECT(first == wanted && second == wanted + 1 && wcstol(third, NULL, 10) == wanted + 2,
             "thread %d: %d, %d and %ls instead of %d", turn, first, second, third, wanted);
    }
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
  wide_characters();
  waits();
  unlink(name);
  return ok();
}
