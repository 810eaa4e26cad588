// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PAGEMAP_SCAN: asks the kernel which pages under asynchronous write protection were written.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "memory/watching/kernel_abi.hpp"
#include "memory/watching/userfault.hpp"

namespace weft {

class PageScan {
 public:
  [[nodiscard]] static Result<std::unique_ptr<PageScan>> create();
  ~PageScan();
  PageScan(const PageScan&) = delete;
  PageScan& operator=(const PageScan&) = delete;

  using OnPages = std::function<void(ProgramRange pages)>;
  // Pages without write protection; each is protected again before its write can be missed. A page
  // that is not in the page table counts as written: the kernel has reclaimed it, and it keeps a
  // marker there if it was still protected.
  Status take_written(ProgramRange range, const OnPages& on_pages);
  // The same pages, which are not protected again.
  Status find_written(ProgramRange range, const OnPages& on_pages);
  // After the range was unmapped: the pages that were still write-protected then, by the markers
  // that they left. This is exact, where asking before unmapping would miss the writes in between.
  Status find_unwritten_markers(ProgramRange range, const OnPages& on_pages);

 private:
  explicit PageScan(int pagemap);
  Status scan(kernel::ScanArguments& arguments, ProgramRange range, const OnPages& on_pages);

  int pagemap_;
  std::vector<kernel::PageRegion> found_;
};

}  // namespace weft
