// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls on any descriptor, whoever has opened it: Weft's are not open to the program.
#include "process/descriptors/descriptors.hpp"

#include <linux/close_range.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "libc/interposition/interpose.hpp"
#include "libc/ownership/kept_descriptors.hpp"
#include "libc/ownership/owned_files.hpp"
#include "process/requests/calls.hpp"

namespace weft::process {
namespace {

int close_range_here(std::uint64_t first, std::uint64_t last, int flags) {
  return static_cast<int>(::syscall(SYS_close_range, first, last, flags));
}

// What other nodes have opened for the program.
void close_elsewhere(std::uint64_t first, std::uint64_t last) {
  const std::uint64_t end = std::min<std::uint64_t>(last, libc::kLastOwnedDescriptor);
  for (std::uint64_t each = std::max<std::uint64_t>(first, libc::kFirstOwnedDescriptor);
       each <= end; ++each) {
    if (libc::other_owner(static_cast<int>(each))) ::close(static_cast<int>(each));
  }
}

// All but Weft's; standard streams are all nodes'.
int close_range_of_job(std::uint64_t first, std::uint64_t last, int flags) {
  if (first > last) {
    errno = EINVAL;
    return -1;
  }
  const int caller_errno = errno;
  std::uint64_t begin = first;
  for (; flags == 0 && begin <= STDERR_FILENO && begin <= last; ++begin) {
    ::close(static_cast<int>(begin));
  }
  while (begin <= last) {
    const int kept = begin > INT32_MAX ? -1 : libc::next_kept(static_cast<int>(begin));
    const std::uint64_t end = kept < 0 ? last + 1 : std::min<std::uint64_t>(kept, last + 1);
    if (end > begin && close_range_here(begin, end - 1, flags) != 0) return -1;
    begin = end + 1;
  }
  if ((flags & CLOSE_RANGE_CLOEXEC) == 0) close_elsewhere(first, last);
  errno = caller_errno;
  return 0;
}

bool is_of_job(const void* caller) {
  return job_of_caller(caller) != nullptr && is_process_of_node();
}

}  // namespace

bool is_kept_from(const void* caller, int descriptor) {
  if (!libc::is_kept(descriptor) || !is_of_job(caller)) [[likely]]
    return false;
  errno = EBADF;
  return true;
}

WEFT_ENTRY(int, close_range, unsigned first, unsigned last, int flags) {
  if (is_of_job(__builtin_return_address(0))) return close_range_of_job(first, last, flags);
  return close_range_here(first, last, flags);
}
WEFT_ENTRY(void, closefrom, int first) {
  const auto from = static_cast<unsigned>(std::max(first, 0));
  if (is_of_job(__builtin_return_address(0))) {
    (void)close_range_of_job(from, UINT32_MAX, 0);
  } else {
    WEFT_REAL(closefrom)(first);
  }
}

}  // namespace weft::process
