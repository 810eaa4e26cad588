// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Page watching with page protections, for kernels and containers that refuse userfaultfd: absent
// is PROT_NONE, tracked PROT_READ until the first write, untracked PROT_READ|PROT_WRITE. Each
// change of protection within a mapping splits it, and a process may have vm.max_map_count
// mappings.
#pragma once

#include <memory>

#include "memory/region/region.hpp"
#include "memory/watching/page_watcher.hpp"

namespace weft {

class MprotectWatcher final : public PageWatcher {
 public:
  // Every page of the region becomes absent.
  [[nodiscard]] static Result<std::unique_ptr<PageWatcher>> create(Region& region);

  [[nodiscard]] const WatcherTraits& traits() const override { return traits_; }
  Status watch(const Segment& segment) override;
  Status map_tracked(PageRange pages) override;
  Status map_untracked(PageRange pages) override;
  Status start_tracking(PageRange pages) override;
  Status stop_tracking(PageRange pages) override;
  Status unmap(PageRange pages, PageSet& written) override;
  Status collect_written(PageRange pages, PageSet& written) override;
  Status refault(PageIndex page, bool tracked) override;

 private:
  explicit MprotectWatcher(Region& region);
  Status set_protection(PageRange pages, int protection);
  Status map(PageRange pages, int protection);

  Region& region_;
  WatcherTraits traits_;
};

}  // namespace weft
