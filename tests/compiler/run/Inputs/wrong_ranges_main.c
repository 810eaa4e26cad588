// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <omp.h>
#include <stdio.h>
#include <string.h>

void too_much(long* a, long n);
void loads_before(long* a, long n);
void unless_it_holds(long* a, long n, _Bool holds);
void copy_too_short(long* a, long n);
void prefetches(long* a, long n);
void in_two_parts(long* a, long n);

static long memory[200];

// Each twice: the second time nothing is reported.
int main(int count, char** words) {
  for (int turn = 0; count > 1 && turn < 2; turn++) {
    if (strcmp(words[1], "too_much") == 0) too_much(memory, 10);
    if (strcmp(words[1], "last_thread") == 0) {
#pragma omp parallel
      if (omp_get_thread_num() == omp_get_num_threads() - 1) too_much(memory, 10);
    }
    if (strcmp(words[1], "loads_before") == 0) loads_before(memory, 10);
    if (strcmp(words[1], "copy_too_short") == 0) copy_too_short(memory, 600);
    if (strcmp(words[1], "holds") == 0) unless_it_holds(memory, 10, count < 3);
    if (strcmp(words[1], "right") == 0) copy_too_short(memory, 800);
    if (strcmp(words[1], "prefetches") == 0) prefetches(memory, 20);
    if (strcmp(words[1], "in_two_parts") == 0) in_two_parts(memory, 20);
  }
  printf("the end\n");
  return 0;
}
