// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "libc/ownership/kept_descriptors.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bitset>

#include "libc/interposition/hooks.hpp"
#include "libc/interposition/interpose.hpp"
#include "stacks/stacks.hpp"

namespace weft::libc {
namespace {

constexpr int kFirst = STDERR_FILENO + 1;
constexpr int kLow = 256;
constexpr int kMost = 2048;

// Which file a kept number had: one that Weft has closed since is not kept any more.
struct File {
  dev_t device;
  ino_t inode;
  friend bool operator==(const File&, const File&) = default;
};

constinit std::bitset<kMost> of_program, filled, kept;
File kept_files[kMost];

bool is_open(int descriptor) { return WEFT_REAL(fcntl)(descriptor, F_GETFD) >= 0; }

File file_of(int descriptor) {
  struct stat status = {};
  if (WEFT_REAL(fstat)(descriptor, &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

// Where few descriptors are allowed, Weft needs most of them.
int end_of_low() {
  rlimit limit = {};
  if (WEFT_REAL(getrlimit)(RLIMIT_NOFILE, &limit) != 0) return kFirst;
  return static_cast<int>(std::min<rlim_t>(kLow, limit.rlim_cur / 4));
}

}  // namespace

void fill_low_descriptors(int own) {
  for (int each = kFirst; each < kMost; ++each) of_program[each] = each != own && is_open(each);
  const int nothing = WEFT_REAL(open)("/dev/null", O_RDONLY | O_CLOEXEC);
  const int end = end_of_low();
  int copy = nothing;
  while (copy >= 0 && copy < end) {
    filled[copy] = true;
    copy = WEFT_REAL(fcntl)(nothing, F_DUPFD_CLOEXEC, kFirst);
  }
  if (copy >= 0) WEFT_REAL(close)(copy);
}

void keep_open_descriptors() {
  for (int each = 0; each < kMost; ++each) {
    if (filled[each]) {
      WEFT_REAL(close)(each);
    } else if (each >= kFirst && !of_program[each] && is_open(each)) {
      kept_files[each] = file_of(each);
      kept[each] = true;
      // UCX lets what the program starts inherit its own.
      WEFT_REAL(fcntl)(each, F_SETFD, FD_CLOEXEC);
    }
  }
}

void keep_descriptor(int descriptor) {
  if (descriptor < kFirst || descriptor >= kMost) return;
  kept_files[descriptor] = file_of(descriptor);
  kept[descriptor] = true;
}

bool is_kept(int descriptor) {
  if (descriptor < kFirst || descriptor >= kMost || !kept[descriptor]) [[likely]]
    return false;
  return !in_forked_child && file_of(descriptor) == kept_files[descriptor];
}

bool is_kept_from_program(int descriptor) { return is_kept(descriptor) && is_on_program_stack(); }

int next_kept(int begin) {
  for (int each = std::max(begin, kFirst); each < kMost; ++each) {
    if (is_kept(each)) return each;
  }
  return -1;
}

}  // namespace weft::libc
