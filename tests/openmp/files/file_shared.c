// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A FILE that the main thread opened, used by all threads: written in every way, read in every way,
// moved about in, and closed by another thread than opened it.

#include <errno.h>
#include <omp.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "../check.h"

enum { kLines = 6, kBig = 700000 };
static char path[64];

static int compare(const void* a, const void* b) {
  return strcmp(*(const char* const*)a, *(const char* const*)b);
}

static void write_lines(FILE* file) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    for (int i = 0; i < kLines; ++i) {
      char line[64];
      const int length = snprintf(line, sizeof line, "thread %03d line %d\n", me, i);
      if (i == kLines - 2) {
#pragma omp barrier
      }
      switch (i) {
        case 0:
          EXPECT(fprintf(file, "thread %03d line %d\n", me, i) == length, "fprintf: %d", errno);
          break;
        case 1:
          EXPECT(fputs(line, file) >= 0, "fputs failed.");
          break;
        case 2:
          EXPECT(fwrite(line, 1, length, file) == (size_t)length, "fwrite failed.");
          break;
        case 3:
          EXPECT(fwrite(line, length, 1, file) == 1 && fflush(file) == 0, "fflush failed.");
          break;
        default:  // character by character: one thread at a time, and by no other function
                  // meanwhile
#pragma omp critical
          for (int k = 0; k < length; ++k)
            EXPECT((i % 2 ? fputc : putc)(line[k], file) == line[k], "fputc or putc failed.");
      }
    }
  }
}

// Every line is there once and whole.
static void check_lines(FILE* file) {
  const int threads = omp_get_max_threads();
  static char lines[1024 * kLines][32];
  static const char* sorted[1024 * kLines];
  rewind(file);
  int count = 0;
  while (count < threads * kLines && fgets(lines[count], sizeof lines[count], file)) {
    sorted[count] = lines[count];
    ++count;
  }
  EXPECT(count == threads * kLines, "There are %d lines.", count);
  qsort(sorted, count, sizeof sorted[0], compare);
  for (int i = 0; i < count; ++i) {
    char expected[64];
    snprintf(expected, sizeof expected, "thread %03d line %d\n", i / kLines, i % kLines);
    EXPECT(strcmp(sorted[i], expected) == 0, "Line %d is '%s'.", i, sorted[i]);
  }
}

// The threads, one after another, read on where the last one stopped.
static void read_by_turns(void) {
  FILE* file = fopen(path, "w+");
  const int threads = omp_get_max_threads();
  for (int i = 0; i < threads; ++i)
    fprintf(file, "%d word%d rest of line %d\nabc;def", i * 7, i, i);
  rewind(file);
  int finished = 0;
#pragma omp parallel for ordered schedule(static, 1)
  for (int i = 0; i < threads; ++i) {
#pragma omp ordered
    {
      int number = -1;
      char word[32] = "", text[64] = "", expected[64];
      EXPECT(fscanf(file, "%d %31s", &number, word) == 2, "Thread %d: fscanf failed.", i);
      snprintf(expected, sizeof expected, "word%d", i);
      EXPECT(number == i * 7 && strcmp(word, expected) == 0, "Thread %d read %d %s.", i, number,
             word);
      EXPECT(fgets(text, sizeof text, file) == text, "Thread %d: fgets failed.", i);
      snprintf(expected, sizeof expected, " rest of line %d\n", i);
      EXPECT(strcmp(text, expected) == 0, "Thread %d read '%s'.", i, text);
      char* part = NULL;
      size_t capacity = 0;
      EXPECT(getdelim(&part, &capacity, ';', file) == 4 && strcmp(part, "abc;") == 0,
             "getdelim read '%s'.", part);
      free(part);
      EXPECT(getc(file) == 'd' && fgetc(file) == 'e', "getc failed.");
      EXPECT(ungetc('x', file) == 'x' && getc(file) == 'x' && fread(word, 1, 1, file) == 1 &&
                 word[0] == 'f',
             "ungetc or fread failed.");
      ++finished;
      if (finished == threads) {
        EXPECT(getc(file) == EOF && feof(file) && !ferror(file), "The end was not found.");
        clearerr(file);
        EXPECT(!feof(file), "clearerr did nothing.");
        EXPECT(fclose(file) == 0, "fclose failed.");
      }
    }
  }
  EXPECT(finished == threads, "%d threads read.", finished);
}

static void move_about(void) {
  FILE* file = fopen(path, "w+b");
  unsigned char* big = malloc(kBig);
  for (int i = 0; i < kBig; ++i) big[i] = (unsigned char)(i * 7 + i / 1000);
#pragma omp parallel for ordered schedule(static, 1)
  for (int i = 0; i < omp_get_max_threads(); ++i) {
#pragma omp ordered
    {
      EXPECT(setvbuf(file, NULL, _IOFBF, 1 << 16) == 0 || i > 0, "setvbuf failed.");
      EXPECT(fseek(file, 0, SEEK_END) == 0 && ftell(file) == (long)i * kBig, "The end is at %ld.",
             ftell(file));
      EXPECT(fwrite(big, 1, kBig, file) == kBig, "fwrite failed.");
      fpos_t place;
      EXPECT(fgetpos(file, &place) == 0, "fgetpos failed.");
      unsigned char* back = malloc(kBig);
      EXPECT(fseeko(file, -(off_t)kBig, SEEK_CUR) == 0, "fseeko failed.");
      EXPECT(fread(back, 1, kBig, file) == kBig && memcmp(back, big, kBig) == 0,
             "Thread %d read other bytes.", i);
      EXPECT(fsetpos(file, &place) == 0 && ftello(file) == (off_t)(i + 1) * kBig,
             "fsetpos failed.");
      free(back);
    }
  }
  free(big);
  fclose(file);
}

// Descriptors, too: of a file that was opened, and of a stream.
static void by_descriptor(void) {
  char name[64];
  snprintf(name, sizeof name, "%s.d", path);
  FILE* file = fopen(name, "w+");
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    const uint64_t value = 1000003 * (me + 1);
    EXPECT(pwrite(fileno(file), &value, 8, 8 * me) == 8, "pwrite failed: %s", strerror(errno));
#pragma omp barrier
    uint64_t next = 0;
    const int other = (me + 1) % omp_get_num_threads();
    EXPECT(pread(fileno(file), &next, 8, 8 * other) == 8 && next == 1000003u * (other + 1),
           "pread: %s", strerror(errno));
  }
  fclose(file);
  unlink(name);
}

int main(void) {
  snprintf(path, sizeof path, "/tmp/openmp_file_%d", (int)getpid());
  FILE* file = fopen(path, "w+");
  EXPECT(file != NULL, "fopen failed.");
  write_lines(file);
  check_lines(file);
  fclose(file);
  read_by_turns();
  move_about();
  by_descriptor();
  unlink(path);
  return ok();
}
