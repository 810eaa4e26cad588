// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's allocations, and what the C library allocates for it, go by the __wrap_ names, which
// a library before libweft.so can take.
//
// RUN: weftcc -O1 -U_FORTIFY_SOURCE %s -o %t && %t 2>&1 | FileCheck -check-prefix=PLAIN %s
// RUN: weftcc -O2 -D_FORTIFY_SOURCE=2 %s -o %t.fortified && %t.fortified 2>&1 | FileCheck -check-prefix=PLAIN %s
// RUN: clang-22 -shared -fPIC -DTAKER %s -o %t.taker.so
// RUN: env LD_PRELOAD=%t.taker.so %t 2>&1 | FileCheck -check-prefix=TAKEN %s
// RUN: env LD_PRELOAD=%t.taker.so %t.fortified 2>&1 | FileCheck -check-prefix=TAKEN %s
#define _GNU_SOURCE
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#ifdef TAKER
// Hands out memory that the C library's free would choke on.
int __weft_spans_nodes = 1;
static char arena[1 << 20];
static size_t used = 64;
void *__wrap_malloc(size_t size) {
  void *block = arena + used;
  used += (size + 79) / 16 * 16;
  return block;
}
void *__wrap_realloc(void *block, size_t size) {
  void *fresh = __wrap_malloc(size);
  return block ? memcpy(fresh, block, 100) : fresh;
}
void __wrap_free(void *block) {
  if (block < (void *)arena || block >= (void *)(arena + sizeof arena)) {
    fprintf(stderr, "free of another's block\n");
    abort();
  }
}
#else
static int failures;
#define CHECK(condition) ((condition) ? (void)0 : (void)(failures++, fprintf(stderr, "%d: %s\n", __LINE__, #condition)))

static void *first;
// Whether a block lies where malloc's blocks do.
static int is_ours(void *block) {
  long distance = (char *)block - (char *)first;
  return distance > -(1 << 20) && distance < 1 << 20;
}

int main(int argc, char **argv) {
  first = malloc(100);
  char *strings[12];
  int count = 0;
  strings[count++] = strdup(argv[0]);
  CHECK(!strcmp(strings[0], argv[0]));
  strings[count++] = strndup("abcdef", 3);
  CHECK(!strcmp(strings[1], "abc"));
  CHECK(asprintf(&strings[count++], "%d %s", argc, "words") == 7 && !strcmp(strings[2], "1 words"));
  strings[count++] = realpath("/", NULL);
  CHECK(!strcmp(strings[3], "/"));
  strings[count++] = getcwd(NULL, 0);
  char buffer[PATH_MAX];
  CHECK(getcwd(buffer, sizeof buffer) == buffer && !strcmp(strings[4], buffer));
  strings[count++] = get_current_dir_name();
  strings[count++] = canonicalize_file_name("/");
  wchar_t *wide = wcsdup(L"wide");
  CHECK(!wcscmp(wide, L"wide") && is_ours(wide));
  for (int i = 0; i < count; ++i) CHECK(is_ours(strings[i]));

  FILE *file = tmpfile();
  for (int i = 0; i < 500; ++i) fputc('a' + i % 26, file);
  fputs("\nshort\nlast", file);
  rewind(file);
  char *line = NULL;
  size_t capacity = 0;
  CHECK(getline(&line, &capacity, file) == 501 && strlen(line) == 501 && capacity > 501);
  CHECK(is_ours(line));
  CHECK(getline(&line, &capacity, file) == 6 && !strcmp(line, "short\n"));
  CHECK(getdelim(&line, &capacity, 's', file) == 3 && !strcmp(line, "las"));
  CHECK(getline(&line, &capacity, file) == 1);
  CHECK(getline(&line, &capacity, file) == -1);
  for (int i = 0; i < count; ++i) free(strings[i]);
  free(wide);
  free(line);
  free(realloc(first, 200));
  fprintf(stderr, failures ? "wrong\n" : "right\n");
  return failures;
}
#endif
// PLAIN: right
// TAKEN-NOT: another
// TAKEN: right
