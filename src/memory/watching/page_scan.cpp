// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/watching/page_scan.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "memory/region/system_failure.hpp"

namespace weft {

PageScan::PageScan(int pagemap) : pagemap_(pagemap), found_(64) {}

PageScan::~PageScan() { close(pagemap_); }

Result<std::unique_ptr<PageScan>> PageScan::create() {
  const int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pagemap < 0) return system_failure(errno, "cannot open /proc/self/pagemap");
  return std::unique_ptr<PageScan>(new PageScan(pagemap));
}

Status PageScan::take_written(ProgramRange range, const OnPages& on_pages) {
  kernel::ScanArguments arguments = {};
  arguments.flags = kernel::kScanWpMatching | kernel::kScanCheckWpAsync;
  arguments.category_mask = kernel::kPageIsWritten;
  arguments.return_mask = kernel::kPageIsWritten;
  return scan(arguments, range, on_pages);
}

Status PageScan::find_written(ProgramRange range, const OnPages& on_pages) {
  kernel::ScanArguments arguments = {};
  arguments.category_mask = kernel::kPageIsWritten;
  arguments.return_mask = kernel::kPageIsWritten;
  return scan(arguments, range, on_pages);
}

Status PageScan::find_unwritten_markers(ProgramRange range, const OnPages& on_pages) {
  kernel::ScanArguments arguments = {};
  arguments.category_inverted = kernel::kPageIsWritten;
  arguments.category_mask = kernel::kPageIsWritten | kernel::kPageIsSwapped;
  arguments.return_mask = kernel::kPageIsSwapped;
  return scan(arguments, range, on_pages);
}

Status PageScan::scan(kernel::ScanArguments& arguments, ProgramRange range,
                      const OnPages& on_pages) {
  arguments.size = sizeof arguments;
  arguments.start = range.begin.value();
  arguments.end = range.begin.value() + range.bytes;
  arguments.vec = reinterpret_cast<std::uint64_t>(found_.data());
  // The kernel allocates as much for itself, in each call.
  arguments.vec_len = std::min(found_.size(), range.bytes / kPageBytes);
  while (arguments.start < arguments.end) {
    const int count = ioctl(pagemap_, kernel::kPagemapScan, &arguments);
    if (count < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      return system_failure(errno, fmt::format("PAGEMAP_SCAN of {} bytes at {:#x} failed",
                                               range.bytes, range.begin.value()));
    }
    for (int i = 0; i < count; ++i) {
      on_pages({ProgramAddress(found_[i].start), found_[i].end - found_[i].start});
    }
    arguments.start = arguments.walk_end;
  }
  return {};
}

}  // namespace weft
