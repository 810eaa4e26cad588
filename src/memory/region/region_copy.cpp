// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A private copy of the region, for the child of a fork. Only what the file holds is copied; the
// mappings are as sparse as it is.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "memory/region/region.hpp"
#include "memory/region/system_failure.hpp"

namespace weft {

// Guards stay as they are: they belong to no run.
Status Region::make_private(const Run& run) {
  auto* const begin = reinterpret_cast<std::byte*>(run.address.value());
  const std::uint64_t bytes = run.pages.count * kPageBytes;
  if (mmap(begin, bytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED) {
    return system_failure(errno, "cannot map private memory in place of shared pages");
  }
  const std::uint64_t first = run.pages.first.value() * kPageBytes;
  const std::uint64_t end = first + bytes;
  for (std::uint64_t at = first; at < end;) {
    const off_t data = lseek(descriptor_, static_cast<off_t>(at), SEEK_DATA);
    if (data < 0 || static_cast<std::uint64_t>(data) >= end) break;
    const auto hole = static_cast<std::uint64_t>(lseek(descriptor_, data, SEEK_HOLE));
    at = static_cast<std::uint64_t>(data);
    const std::uint64_t piece_end = std::min(hole, end);
    std::memcpy(begin + (at - first), runtime_view_ + at, piece_end - at);
    at = piece_end;
  }
  return {};
}

Status Region::become_private() {
  for (const Run& run : runs_) {
    if (Status status = make_private(run); !status) return status;
  }
  munmap(runtime_view_, bytes_);
  close(descriptor_);
  runtime_view_ = nullptr;
  descriptor_ = -1;
  return {};
}

}  // namespace weft
