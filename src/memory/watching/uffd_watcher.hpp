// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Page watching with userfaultfd. Absent pages have no entry in the program view's page table, so a
// touch is a fault that userfaultfd reports ("missing" if the memfd has no such page, else
// "minor"). UFFDIO_CONTINUE maps what the memfd holds; MADV_DONTNEED takes it away. Mappings are
// split by seals alone.
#pragma once

#include <sys/mman.h>

#include <memory>

#include "memory/region/region.hpp"
#include "memory/watching/page_scan.hpp"
#include "memory/watching/page_watcher.hpp"
#include "memory/watching/userfault.hpp"

namespace weft {

struct UffdMode {
  bool asynchronous = true;  // the kernel resolves first writes itself (Linux 6.7)
  bool user_mode_only = false;
  bool by_signal = false;            // SIGBUS to the faulting thread instead of the descriptor
  bool maps_write_protected = true;  // the kernel can map and protect in one step (Linux 6.4)
};

class UffdWatcher final : public PageWatcher {
 public:
  // Every page of the region becomes absent.
  [[nodiscard]] static Result<std::unique_ptr<PageWatcher>> create(Region& region, UffdMode mode);

  [[nodiscard]] const WatcherTraits& traits() const override { return traits_; }
  Status watch(const Segment& segment) override;
  Status map_tracked(PageRange pages) override;
  Status map_untracked(PageRange pages) override;
  Status start_tracking(PageRange pages) override;
  Status stop_tracking(PageRange pages) override;
  Status unmap(PageRange pages, PageSet& written) override;
  Status collect_written(PageRange pages, PageSet& written) override;
  Status find_written(PageRange pages, PageSet& found) override;
  Status refault(PageIndex page, bool tracked) override;
  Status seal(PageRange pages) override { return set_protection(pages, PROT_READ); }
  Status unseal(PageRange pages) override { return set_protection(pages, PROT_READ | PROT_WRITE); }
  [[nodiscard]] int fault_descriptor() const override;
  Status read_faults(const OnFault& on_fault) override;

 private:
  UffdWatcher(Region& region, UffdMode mode);
  Status map(PageRange pages, bool write_protected);
  Status set_protection(PageRange pages, int protection);
  Status map_by_copying(ProgramRange range, PageRange pages);
  Status each_piece(PageRange pages,
                    const std::function<Status(ProgramRange range, PageRange piece)>& visit);
  [[nodiscard]] PageRange pages_of(ProgramRange range) const;

  Region& region_;
  UffdMode mode_;
  WatcherTraits traits_;
  std::unique_ptr<Userfault> userfault_;
  std::unique_ptr<PageScan> scan_;  // asynchronous alone
};

}  // namespace weft
