// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/output_order.hpp"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <initializer_list>

namespace weft {
namespace {

bool is_pipe[3] = {};

bool is_empty(int pipe) {
  int bytes = 0;
  return ioctl(pipe, FIONREAD, &bytes) != 0 || bytes == 0;
}

}  // namespace

void watch_output_pipes() {
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat status = {};
    is_pipe[descriptor] = fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode);
  }
}

void settle_output() {
  std::fflush(stdout);
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    if (!is_pipe[descriptor]) continue;
    // The launcher is another process: give it the processor rather than spin.
    for (timespec pause = {0, 5'000}; !is_empty(descriptor);) nanosleep(&pause, nullptr);
  }
}

}  // namespace weft
