// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Children that the process forks. Shared memory would be their parent's, and nobody would know of
// their writes: so they get none of it. What else the parent has they may use, as ever.
//
// Rejected: a private copy, as programs by weftcc get (libc/processes/fork.cpp). It would bring all
// shared memory here, at a call that the user may not even see, and what a child writes to it would
// be lost without a word.
#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "binding/process.hpp"

namespace weft::binding {
namespace {

unsigned parent = 0;  // the number of the node

}  // namespace

void prepare_forks(const Region& region) {
  parent = driver()->self().value();
  for (const Segment& segment : region.segments()) {
    if (madvise(reinterpret_cast<void*>(segment.address.value()), segment.bytes, MADV_DONTFORK) ==
        0)
      continue;
    driver()->fail(
        fmt::format("cannot keep shared memory from forked processes: {}", std::strerror(errno)));
  }
  pthread_atfork(nullptr, nullptr, detach_child);
}

// In a signal handler of a process that dies of it.
void explain_fault_in_child(const void* address) {
  const std::string sentence = fmt::format(
      "weft: process {}, forked by node {}, has touched shared memory at {}. Forked processes have "
      "none of it: give them copies, numpy.array(shared)\n",
      getpid(), parent, address);
  (void)!write(STDERR_FILENO, sentence.data(), sentence.size());
}

}  // namespace weft::binding
