// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/search/search_need.hpp"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

#include "base/assert.hpp"

namespace weft {
namespace {

// Of all threads of this process, those that have ended too.
std::uint64_t page_faults() {
  rusage usage = {};
  // The C library's function is the program's here.
  const long status = syscall(SYS_getrusage, RUSAGE_SELF, &usage);
  WEFT_ASSERT(status == 0, "getrusage");
  return static_cast<std::uint64_t>(usage.ru_minflt) + static_cast<std::uint64_t>(usage.ru_majflt);
}

}  // namespace

std::uint64_t SearchNeed::begin() {
  const std::uint64_t faults = page_faults();
  const std::uint64_t since = faults - std::exchange(faults_, faults);
  const bool of_all = ++searches_ % kSearchesOfAll == 0;
  return std::exchange(knows_, true) && !of_all ? since : kEverything;
}

}  // namespace weft
