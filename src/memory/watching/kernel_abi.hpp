// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the kernel's interface that are younger than the headers of the oldest distribution
// that Weft builds on (Debian 12, Linux 6.1). Values are from Linux 6.18's include/uapi; whether
// the running kernel has them is probed, never inferred from a version number.
#pragma once

#include <linux/userfaultfd.h>
#include <sys/ioctl.h>

#include <cstdint>

namespace weft::kernel {

// userfaultfd features (UFFDIO_API).
inline constexpr std::uint64_t kFeatureWpUnpopulated = 1U << 13;  // Linux 6.4
inline constexpr std::uint64_t kFeatureWpAsync = 1U << 15;        // Linux 6.7
// UFFDIO_CONTINUE: map write-protected (Linux 6.4).
inline constexpr std::uint64_t kContinueModeWp = 1U << 1;
// Makes a userfaultfd out of an open /dev/userfaultfd (Linux 6.1).
inline constexpr unsigned long kNewDescriptor = _IO(0xAA, 0x00);

// PAGEMAP_SCAN on /proc/self/pagemap (Linux 6.7); see Documentation/admin-guide/mm/pagemap.rst.
struct PageRegion {
  std::uint64_t start, end, categories;
};
struct ScanArguments {
  std::uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
  std::uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};
inline constexpr unsigned long kPagemapScan = _IOWR('f', 16, ScanArguments);
inline constexpr std::uint64_t kPageIsWritten = 1U << 1;
inline constexpr std::uint64_t kPageIsPresent = 1U << 3;
inline constexpr std::uint64_t kPageIsSwapped = 1U << 4;
inline constexpr std::uint64_t kScanWpMatching = 1U << 0;
inline constexpr std::uint64_t kScanCheckWpAsync = 1U << 1;

// madvise (Linux 5.14).
inline constexpr int kMadvisePopulateRead = 22;

}  // namespace weft::kernel
