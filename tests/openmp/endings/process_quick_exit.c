// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -D_GNU_SOURCE
//
// What threads of all nodes register for quick_exit runs there, once each.

#include <omp.h>
#include <unistd.h>

#include "../check.h"

static int registered = 0, run = 0;

static void never(void) { fail(__FILE__, __LINE__, "a handler of exit runs at quick_exit"); }
static void at_end(void) {
  if (++run < registered) return;
  ok();
  fflush(stdout);
}

int main(void) {
  atexit(never);
#pragma omp parallel
  {
#pragma omp critical
    {
      EXPECT(at_quick_exit(at_end) == 0, "at_quick_exit");
      registered = registered + 1;
    }
  }
  quick_exit(0);
}
