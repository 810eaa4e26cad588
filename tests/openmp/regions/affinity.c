// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places and binding inside each node, and affinity formats with the whole team's numbers.

#include <omp.h>
#include <string.h>
#include <weft/process.h>

#include "../check.h"

static int seen[1024];

static void numbers_in_formats(void) {
#pragma omp parallel
  {
    char text[256], expected[256];
    const int me = omp_get_thread_num(), threads = omp_get_num_threads();
    const size_t length =
        omp_capture_affinity(text, sizeof text, "<%n|%{thread_num}|%N|%05n|%0.5N|%.5n|%L|%%>");
    snprintf(expected, sizeof expected, "<%d|%d|%d|%-5d|%05d|%5d|1|%%>", me, me, threads, me,
             threads, me);
    EXPECT(length == strlen(text) && strcmp(text, expected) == 0,
           "Thread %d is described as '%s', not '%s'.", me, text, expected);
    omp_capture_affinity(text, sizeof text, "%P");
    EXPECT(atoi(text) == (int)weft_node_pid(), "The process is %s.", text);
#pragma omp atomic
    ++seen[me];
  }
  for (int i = 0; i < omp_get_max_threads(); ++i)
    EXPECT(seen[i] == 1, "Thread %d was seen %d times.", i, seen[i]);
}

// The number of the thread that began an inner region is one of the whole team's, too.
static void ancestors_in_formats(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
#pragma omp parallel num_threads(2)
    {
      char text[64], expected[64];
      omp_capture_affinity(text, sizeof text, "%a|%{ancestor_tnum}|%L|%n|%N");
      snprintf(expected, sizeof expected, "%d|%d|2|%d|2", me, me, omp_get_thread_num());
      EXPECT(strcmp(text, expected) == 0, "It says '%s', not '%s'.", text, expected);
    }
  }
}

// A format that the program has set, on its main thread before any region.
static void own_format(void) {
  char text[64];
  omp_set_affinity_format("thread %n");
  EXPECT(omp_get_affinity_format(text, sizeof text) == 9 && strcmp(text, "thread %n") == 0,
         "It is '%s'.", text);
  EXPECT(omp_capture_affinity(text, sizeof text, NULL) == 8 && strcmp(text, "thread 0") == 0,
         "It says '%s'.", text);
}

// What the program sets on its main thread holds for the regions that follow, on all nodes.
static void format_set_by_the_program(void) {
  for (int round = 0; round < 3; ++round) {
    omp_set_affinity_format(round == 1 ? "second %n of %N" : "thread %n of %N");
#pragma omp parallel
    {
      char text[100], expected[100];
      omp_capture_affinity(text, sizeof text, NULL);
      snprintf(expected, sizeof expected, "%s %d of %d", round == 1 ? "second" : "thread",
               omp_get_thread_num(), omp_get_num_threads());
      EXPECT(strcmp(text, expected) == 0, "It says '%s', not '%s'.", text, expected);
    }
  }
}

static void places(void) {
  const int count = omp_get_num_places();
#pragma omp parallel proc_bind(close)
  {
    EXPECT(omp_get_num_places() == count, "There are %d places, and %d.", omp_get_num_places(),
           count);
    const int place = omp_get_place_num();
    EXPECT(place >= -1 && place < (count > 0 ? count : 1), "The place is %d of %d.", place, count);
    int partition = omp_get_partition_num_places();
    EXPECT(partition >= 0 && partition <= count, "The partition has %d places.", partition);
    for (int i = 0; i < count; ++i) {
      int processors[4096];
      const int here = omp_get_place_num_procs(i);
      EXPECT(here > 0 && here <= 4096, "Place %d has %d processors.", i, here);
      omp_get_place_proc_ids(i, processors);
      for (int k = 0; k < here; ++k)
        EXPECT(processors[k] >= 0, "Place %d has processor %d.", i, processors[k]);
    }
  }
}

int main(void) {
  own_format();
  numbers_in_formats();
  ancestors_in_formats();
  format_set_by_the_program();
  places();
  return ok();
}
