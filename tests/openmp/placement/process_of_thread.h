// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which process runs the calling thread, as the kernel tells it. (getpid() says the same on all
// nodes.)
#pragma once

#include <stdlib.h>
#include <unistd.h>

static long process_of_thread(void) {
  char link[64] = {0};
  return readlink("/proc/thread-self", link, sizeof link - 1) > 0 ? atol(link) : -1;
}
