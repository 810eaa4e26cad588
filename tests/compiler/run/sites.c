// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `weft run --stats=sites` says how the calls before each loop fare. Node 0 has written everything; the other node's
// thread reads it, in loops of which the compiler knows more or less.
//
// REQUIRES: cluster
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: weftcc -O2 -gline-tables-only -fPIC -shared %S/Inputs/site_library.c -o libsites.so
// RUN: weftcc -O2 -gline-tables-only %s -L. -lsites -Wl,-rpath,%t -o sites
// RUN: timeout 100 weft run -n 2 --threads 1 --spread always --stats=sites ./sites > lines 2>&1
// RUN: FileCheck -check-prefix=FULL %s < lines
// RUN: FileCheck -check-prefix=FULL %S/Inputs/site_library.c < lines
//
// Other back ends have other faults, and the same misses. By messages, pages come later.
// RUN: timeout 100 weft run -n 2 --threads 1 --spread always --transport tcp --stats=sites ./sites > tcp 2>&1
// RUN: FileCheck -check-prefix=FULL %s < tcp
// RUN: timeout 100 weft run -n 2 --threads 1 --spread always --back-end mprotect --stats=sites ./sites > mprotect 2>&1
// RUN: FileCheck -check-prefix=FULL %s < mprotect
//
// Without line numbers, and without symbols.
// RUN: weftcc -O2 %s -L. -lsites -Wl,-rpath,%t -o nolines
// RUN: timeout 100 weft run -n 2 --threads 1 --spread always --stats=sites ./nolines 2>&1 | FileCheck -check-prefix=FUNCTION %s
// FUNCTION: node 1: site sum+0x{{[0-9a-f]+}} (nolines): calls 3,
// RUN: strip nolines
// RUN: timeout 100 weft run -n 2 --threads 1 --spread always --stats=sites ./nolines 2>&1 | FileCheck -check-prefix=ADDRESS %s
// ADDRESS: node 1: site 0x{{[0-9a-f]+}}: calls 3,
//
// RUN: timeout 100 weft run -n 2 --threads 1 --spread always --stats=sites-json ./sites 2> json
// RUN: %S/Inputs/site_sums < json | FileCheck -check-prefix=SUMS %s
// SUMS-DAG: node 0 pages_prefetched 0
// SUMS-DAG: node 0 pages_overwritten 0
// SUMS-DAG: node 1 pages_prefetched 0
// SUMS-DAG: node 1 pages_overwritten 0
//
// Only who asks gets them.
// RUN: timeout 100 weft run -n 2 --threads 1 --spread always --stats=json ./sites 2>&1 | FileCheck -check-prefix=NONE %s
// RUN: timeout 100 weft run -n 2 --threads 1 --spread always --stats ./sites 2>&1 | FileCheck -check-prefix=NONE %s
// NONE-NOT: site
// NONE: sum
// NONE-NOT: site
#include <omp.h>
#include <stdio.h>

enum { kPage = 4096 / sizeof(double), kTouched = 20 };

static _Alignas(4096) double known[64 * kPage], scattered[512 * kPage], replaced[40 * kPage], few[kPage],
    of_library[32 * kPage], later[2 * kPage], of_other[kPage];
static _Alignas(4096) long indices[16 * kPage];

double library_sum(const double* first, long count);

__attribute__((noinline)) static double sum(const double* first, long count) {
  double all = 0;
  for (long i = 0; i < count; i++) all += first[i];  // FULL-DAG: node 1: site {{.*}}sites.c:[[#@LINE]]: calls 3, not_heard 2, pages_prefetched 64, misses 1{{(, late [0-9]+)?$}}
  return all;
}

__attribute__((noinline)) static double sum_again(const double* first, long count) {
  double all = 1;
  // FULL-DAG: node 0: site {{.*}}sites.c:[[#@LINE+2]]: calls 1, all_here 1{{$}}
  // FULL-DAG: node 1: site {{.*}}sites.c:[[#@LINE+1]]: calls 1, all_here 1{{$}}
  for (long i = 0; i < count; i++) all += 2 * first[i];
  return all;
}

// Where the indices lead is found before the loop, unless they come late themselves.
__attribute__((noinline)) static double sum_indirect(const double* first, const long* index, long count) {
  double all = 0;
  for (long i = 0; i < count; i++) all += first[index[i]];  // FULL-DAG: node 1: site {{.*}}sites.c:[[#@LINE]]: calls 2, {{(pages_prefetched 36|too_small 1, pages_prefetched 16, misses 20)(, late [0-9]+)?}}, inspected 1{{$}}
  return all;
}

__attribute__((noinline)) static void replace(double* first, long count) {
  for (long i = 0; i < count; i++) first[i] = (double)i;  // FULL-DAG: node 1: site {{.*}}sites.c:[[#@LINE]]: calls 1, pages_overwritten 40{{$}}
}

__attribute__((noinline)) static void touch_all(void) {
  const long pages = sizeof scattered / 4096;
  // First touches are no misses.
  for (long i = 0; i < pages; i++) scattered[i * kPage] = 1;  // FULL-DAG: node 0: site {{.*}}sites.c:[[#@LINE]]: calls 1, all_here 1{{$}}
  for (long i = 0; i < (long)(sizeof known / sizeof *known); i += 8) known[i] = 1;
  for (long i = 0; i < (long)(sizeof replaced / sizeof *replaced); i += 8) replaced[i] = 1;
  for (long i = 0; i < (long)(sizeof of_library / sizeof *of_library); i += 8) of_library[i] = 1;
  for (long i = 0; i < (long)(sizeof indices / sizeof *indices); i++)
    indices[i] = (7 + (i % kTouched) * (i % kTouched)) * kPage;
  few[3] = later[0] = later[kPage] = 1;
}

__attribute__((noinline)) static double read_all(void) {
  double all = 0;
  for (int turn = 0; turn < 3; turn++) {
    all += sum(known, sizeof known / sizeof *known);
    __asm__ volatile("" ::: "memory");  // each time anew
  }
  all += sum(few, kPage);  // too short for a call: its miss counts for the last one
  all += sum_again(known, sizeof known / sizeof *known);
  all += sum_indirect(scattered, indices, sizeof indices / sizeof *indices);
  all += library_sum(of_library, sizeof of_library / sizeof *of_library);
  replace(replaced, sizeof replaced / sizeof *replaced);
  all += replaced[5];
  return all;
}

int main(void) {
  double all = 0;
  touch_all();
#pragma omp parallel reduction(+ : all)
  {
    if (omp_get_thread_num() == 1) all += read_all();
    // Behind a barrier no miss is a loop's.
#pragma omp barrier
    if (omp_get_thread_num() == 1) all += of_other[0] = later[0] + later[kPage];
  }
  // Nor is one of a region that begins behind a loop.
  all += sum_again(known, sizeof known / sizeof *known);
#pragma omp parallel reduction(+ : all)
  if (omp_get_thread_num() == 0) all += of_other[0];
  printf("sum %g\n", all);
  return 0;
}
