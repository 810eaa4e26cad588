// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/output/output_order.hpp"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <initializer_list>

#include "runtime/bootstrap/bootstrap.hpp"

namespace weft {
namespace {

bool is_pipe[3] = {};
Bootstrap* launcher = nullptr;

bool is_empty(int pipe) {
  int bytes = 0;
  return ioctl(pipe, FIONREAD, &bytes) != 0 || bytes == 0;
}

}  // namespace

void watch_output_pipes(Bootstrap& to) {
  launcher = &to;
  look_at_output_pipes();
}

void look_at_output_pipes() {
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat status = {};
    is_pipe[descriptor] = fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode);
  }
}

void settle_output() {
  std::uint64_t settled = settled_count.load(std::memory_order_relaxed);
  const bool is_new = has_new_output();
  std::fflush(stdout);  // which counts as printing, too, if there is something to flush
  // What is counted now is in the pipes, or has been read.
  const std::uint64_t printed = printed_count.load(std::memory_order_relaxed);
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    if (!is_pipe[descriptor]) continue;
    // The launcher is another process: give it the processor rather than spin.
    for (timespec pause = {0, 5'000}; !is_empty(descriptor);) nanosleep(&pause, nullptr);
  }
  if (!is_new) return;
  if (launcher != nullptr) launcher->report_settled_output();
  while (settled < printed && !settled_count.compare_exchange_weak(settled, printed)) {
  }
}

}  // namespace weft
