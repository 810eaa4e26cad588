// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -D_GNU_SOURCE
// status: 3
//
// Handlers for the end, registered by threads of all nodes, run once each, in the process that
// main is in, the last one first; and on_exit's are told the status.

#include <omp.h>
#include <unistd.h>
#include <weft/process.h>

#include "../check.h"

static pid_t process;
static int next = 0;

static void at_end(int status, void* number) {
  EXPECT(status == 3, "the status is %d", status);
  EXPECT(weft_node_pid() == process, "a handler runs in another process");
  EXPECT(--next == (int)(long)number, "handler %ld runs instead of %d", (long)number, next);
  if (next == 0) ok();
}

static void never(void) { fail(__FILE__, __LINE__, "a handler of quick_exit runs at exit"); }

int main(void) {
  process = weft_node_pid();
#pragma omp parallel
  {
#pragma omp critical
    {
      EXPECT(on_exit(at_end, (void*)(long)next) == 0, "on_exit");
      EXPECT(at_quick_exit(never) == 0, "at_quick_exit");
      next = next + 1;
    }
  }
  exit(3);
}
