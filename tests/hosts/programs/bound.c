/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every thread says its host, the processors that its node may use, and those of its places; nodes never load hwloc. */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void print_processors(void) {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  for (int each = 0; each < CPU_SETSIZE; ++each) {
    if (CPU_ISSET(each, &set)) printf(" %d", each);
  }
}

static void print_places(void) {
  int numbers[CPU_SETSIZE];
  for (int place = 0; place < omp_get_num_places(); ++place) {
    omp_get_place_proc_ids(place, numbers);
    for (int each = 0; each < omp_get_place_num_procs(place); ++each) printf(" %d", numbers[each]);
  }
}

static const char* has_hwloc(void) {
  char line[512];
  const char* answer = "no";
  FILE* const maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps)) {
    if (strstr(line, "libhwloc")) answer = "yes";
  }
  fclose(maps);
  return answer;
}

int main(void) {
#pragma omp parallel
#pragma omp for ordered schedule(static)
  for (int turn = 0; turn < omp_get_num_threads(); ++turn) {
#pragma omp ordered
    {
      char host[64] = "";
      gethostname(host, sizeof host - 1);
      printf("thread %d on %s: processors", turn, host);
      print_processors();
      printf("; places");
      print_places();
      printf("; hwloc %s\n", has_hwloc());
    }
  }
  return 0;
}
