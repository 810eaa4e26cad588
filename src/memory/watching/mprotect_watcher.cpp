// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/watching/mprotect_watcher.hpp"

#include <sys/mman.h>

#include <csignal>
#include <cstdio>

#include "memory/region/system_failure.hpp"
#include "memory/watching/kernel_abi.hpp"

namespace weft {
namespace {

Failure protection_failure(int why) {
  if (why != ENOMEM) return system_failure(why, "cannot change the protection of shared pages");
  unsigned long limit = 0;
  if (std::FILE* file = std::fopen("/proc/sys/vm/max_map_count", "re"); file != nullptr) {
    if (std::fscanf(file, "%lu", &limit) != 1) limit = 0;
    std::fclose(file);
  }
  return Failure{fmt::format(
      "too many separate runs of shared pages: this process has as many mappings as "
      "vm.max_map_count allows ({}). Raise it (sysctl vm.max_map_count=1048576), or allow "
      "userfaultfd, which does not need mappings",
      limit)};
}

}  // namespace

MprotectWatcher::MprotectWatcher(Region& region) : region_(region) {
  traits_ = {.name = "mprotect",
             .traps_writes = true,
             .fault_signal = SIGSEGV,
             .serves_system_calls = false};
}

Result<std::unique_ptr<PageWatcher>> MprotectWatcher::create(Region& region) {
  std::unique_ptr<MprotectWatcher> watcher(new MprotectWatcher(region));
  const Status status = watcher->set_protection({PageIndex(0), region.page_count()}, PROT_NONE);
  if (!status) return status.failure();
  return std::unique_ptr<PageWatcher>(std::move(watcher));
}

Status MprotectWatcher::set_protection(PageRange pages, int protection) {
  Status result;
  region_.for_each_piece(pages, [&](ProgramAddress begin, PageRange piece) {
    if (!result) return;
    auto* address = reinterpret_cast<void*>(begin.value());
    if (mprotect(address, piece.count * kPageBytes, protection) != 0) {
      result = protection_failure(errno);
    }
  });
  return result;
}

// The pages get memory and page table entries in one go: each would cost a fault otherwise, and
// where memory is short, the fault's SIGBUS would say less than this failure.
Status MprotectWatcher::map(PageRange pages, int protection) {
  if (Status status = region_.populate(pages); !status) return status;
  if (Status status = set_protection(pages, protection); !status) return status;
  region_.for_each_piece(pages, [&](ProgramAddress begin, PageRange piece) {
    madvise(reinterpret_cast<void*>(begin.value()), piece.count * kPageBytes,
            kernel::kMadvisePopulateRead);
  });
  return {};
}

Status MprotectWatcher::watch(const Segment& segment) {
  return set_protection({segment.offset.page(), segment.bytes / kPageBytes}, PROT_NONE);
}

Status MprotectWatcher::map_tracked(PageRange pages) { return map(pages, PROT_READ); }

Status MprotectWatcher::map_untracked(PageRange pages) {
  return map(pages, PROT_READ | PROT_WRITE);
}

Status MprotectWatcher::start_tracking(PageRange pages) { return set_protection(pages, PROT_READ); }

Status MprotectWatcher::stop_tracking(PageRange pages) {
  return set_protection(pages, PROT_READ | PROT_WRITE);
}

Status MprotectWatcher::unmap(PageRange pages, PageSet& written) {
  return set_protection(pages, PROT_NONE);
}

Status MprotectWatcher::collect_written(PageRange pages, PageSet& written) {
  WEFT_ASSERT(false, "writes are trapped, not collected");
  return {};
}

// The kernel never reports reclaimed pages to mprotect's users: mostly the touch was just early.
// But reading ahead may have come to a segment that is opened later (Region::open_stage): such a
// page counts as mapped, and is not.
Status MprotectWatcher::refault(PageIndex page, bool tracked) {
  return set_protection({page, 1}, tracked ? PROT_READ : PROT_READ | PROT_WRITE);
}

}  // namespace weft
