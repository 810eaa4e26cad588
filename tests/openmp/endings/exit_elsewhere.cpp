// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exit called by the last thread inside a region, while others go on: what was registered, by
// whichever thread, runs on the caller, the last one first; then streams are flushed, whoever has
// made them. Before all that, the caller's thread-local objects end.
//
// status: 9

#include <omp.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "../check.h"

static std::vector<std::string> done;
static int caller = -1;

static void note(const char* what) {
  EXPECT(omp_get_thread_num() == caller, "%s runs on thread %d.", what, omp_get_thread_num());
  done.push_back(what);
}

struct Local {
  int thread = -1;
  ~Local() {
    if (thread == caller) done.push_back("local");
  }
};
static thread_local Local local;

static void judge() {
  const std::vector<std::string> expected = {"local",         "last's",  "in handler",
                                             "with status 9", "first's", "late static"};
  EXPECT(done == expected, "%zu were done, the first is %s", done.size(), done[0].c_str());
}

static void firsts() { note("first's"); }
static void in_handler() { note("in handler"); }
static void lasts() {
  note("last's");
  atexit(in_handler);
}
static void with_status(int status, void*) { note(status == 9 ? "with status 9" : "other status"); }

struct Static {
  ~Static() { note("late static"); }
};

int main() {
  atexit(judge);
  static Static late;
  FILE* const never_closed = fdopen(dup(STDOUT_FILENO), "w");
  fprintf(never_closed, "ok\n");
#pragma omp parallel
  {
    local.thread = omp_get_thread_num();
    const bool last = omp_get_thread_num() == omp_get_num_threads() - 1;
#pragma omp masked
    atexit(firsts);
#pragma omp barrier
    if (last) {
      on_exit(with_status, nullptr);
      atexit(lasts);
      caller = omp_get_thread_num();
    }
#pragma omp barrier
    if (last) exit(9);
    for (;;) usleep(1000);  // until the program has ended
  }
}
