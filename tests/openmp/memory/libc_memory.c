// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that the C library hands out can be read by all threads, and freed or resized by any.
//
// flags: -D_GNU_SOURCE

#include <omp.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "../check.h"

enum { kMost = 1024 };
static char *copy[kMost], *printed[kMost], *part[kMost], *line[kMost];

static void make(int me, FILE* lines) {
  char text[80];
  snprintf(text, sizeof text, "thread %d wove this, and nobody else", me);
  copy[me] = strdup(text);
  part[me] = strndup(text, 6);
  EXPECT(asprintf(&printed[me], "%s %d %.3f", "printed", me, me * 0.5) > 0, "asprintf failed.");
  size_t room = 0;
  line[me] = NULL;
#pragma omp critical
  EXPECT(getline(&line[me], &room, lines) > 0, "getline failed.");
}

static void check(int owner) {
  char text[80];
  snprintf(text, sizeof text, "thread %d wove this, and nobody else", owner);
  EXPECT(!strcmp(copy[owner], text), "strdup gave '%s'.", copy[owner]);
  EXPECT(!strcmp(part[owner], "thread"), "strndup gave '%s'.", part[owner]);
  snprintf(text, sizeof text, "printed %d %.3f", owner, owner * 0.5);
  EXPECT(!strcmp(printed[owner], text), "asprintf gave '%s'.", printed[owner]);
  EXPECT(!strncmp(line[owner], "line ", 5), "getline gave '%s'.", line[owner]);
}

int main(void) {
  const int most = omp_get_max_threads();
  char* whole = malloc(20 * (size_t)most + 1);
  size_t at = 0;
  for (int t = 0; t < most; ++t) at += (size_t)sprintf(whole + at, "line %d\n", t);
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), other = (me + 1) % omp_get_num_threads();
    // Each thread reads from a stream of its own: a FILE belongs to the thread that opened it.
    FILE* lines = fmemopen(whole, at, "r");
    EXPECT(lines != NULL, "fmemopen failed.");
    make(me, lines);
    fclose(lines);
#pragma omp barrier
    check(other);
#pragma omp barrier
    copy[other] = realloc(copy[other], 200);
    EXPECT(copy[other] != NULL, "realloc of a strdup failed.");
    strcat(copy[other], ", and this was added");
    free(part[other]);
    free(printed[other]);
  }
  for (int t = 0; t < most; ++t) {
    EXPECT(strstr(copy[t], "added") != NULL, "The addition to copy %d is lost.", t);
    free(copy[t]);
    free(line[t]);
  }
  free(whole);
  char* directory = getcwd(NULL, 0);
  EXPECT(directory && directory[0] == '/', "getcwd gave '%s'.", directory ? directory : "NULL");
  free(directory);
  wchar_t* wide = wcsdup(L"wide");
  EXPECT(!wcscmp(wide, L"wide"), "wcsdup is wrong.");
  free(wide);
  return ok();
}
