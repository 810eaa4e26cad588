// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes a copy behind Weft's back, as a mistake of its own would: by way of the second mapping of
// the page that is in this process, which is not watched. A node maps shared memory twice.
//
// corrupted_copy NODE_THREAD TURN: that thread does so in that turn.

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int numbers[3000];

typedef struct {
  uintptr_t begin, end;
  unsigned long offset, inode;
  char rights[8];
} Mapping;

static int next_mapping(FILE* maps, Mapping* m) {
  char line[1024];
  if (fgets(line, sizeof line, maps) == NULL) return 0;
  return sscanf(line, "%lx-%lx %7s %lx %*s %lu", &m->begin, &m->end, m->rights, &m->offset,
                &m->inode) == 5;
}

static Mapping mapping_of(uintptr_t address) {
  Mapping found;
  FILE* maps = fopen("/proc/self/maps", "r");
  while (next_mapping(maps, &found)) {
    if (found.begin <= address && address < found.end) break;
  }
  fclose(maps);
  return found;
}

static volatile int* other_view(int* place) {
  const uintptr_t address = (uintptr_t)place;
  const Mapping mine = mapping_of(address);
  const unsigned long offset = mine.offset + (address - mine.begin);
  Mapping each;
  volatile int* other = NULL;
  FILE* maps = fopen("/proc/self/maps", "r");
  while (next_mapping(maps, &each)) {
    if (each.inode != mine.inode || (each.begin <= address && address < each.end)) continue;
    if (each.offset <= offset && offset < each.offset + (each.end - each.begin) &&
        each.rights[1] == 'w')
      other = (volatile int*)(each.begin + (offset - each.offset));
  }
  fclose(maps);
  return other;
}

int main(int count, char** words) {
  const int culprit = count > 1 ? atoi(words[1]) : 1, when = count > 2 ? atoi(words[2]) : 3;
  for (int i = 0; i < 3000; ++i) numbers[i] = i;
  int sum = 0;
#pragma omp parallel reduction(+ : sum)
  for (int turn = 0; turn < 6; ++turn) {
    for (int i = 0; i < 3000; ++i) sum += numbers[i] & 1;
    if (omp_get_thread_num() == culprit && turn == when) {
      volatile int* const other = other_view(&numbers[1234]);
      if (other == NULL) abort();
      *other = -1;
    }
#pragma omp barrier
  }
  printf("%d\n", sum);
  return 0;
}
