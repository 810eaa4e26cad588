// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/watching/uffd_watcher.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <vector>

#include "memory/region/system_failure.hpp"
#include "memory/watching/kernel_abi.hpp"

namespace weft {
namespace {

std::uint64_t features_of(UffdMode mode) {
  std::uint64_t features = UFFD_FEATURE_MISSING_SHMEM | UFFD_FEATURE_MINOR_SHMEM |
                           UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_WP_HUGETLBFS_SHMEM;
  if (mode.asynchronous) features |= kernel::kFeatureWpAsync;
  features |= mode.by_signal ? UFFD_FEATURE_SIGBUS : UFFD_FEATURE_THREAD_ID;
  return features;
}

}  // namespace

UffdWatcher::UffdWatcher(Region& region, UffdMode mode) : region_(region), mode_(mode) {
  traits_.name = mode.asynchronous ? "uffd-async" : "uffd-sync";
  traits_.traps_writes = !mode.asynchronous;
  traits_.opens_by_fault = true;
  traits_.fault_signal = mode.by_signal ? SIGBUS : 0;
  traits_.seals = mode.asynchronous && mode.by_signal;
  traits_.serves_system_calls = !mode.by_signal && !mode.user_mode_only;
}

Result<std::unique_ptr<PageWatcher>> UffdWatcher::create(Region& region, UffdMode mode) {
  std::unique_ptr<UffdWatcher> watcher(new UffdWatcher(region, mode));
  auto userfault = Userfault::create({features_of(mode), mode.user_mode_only});
  if (!userfault.ok()) return Failure{userfault.error()};
  watcher->userfault_ = std::move(userfault.value());
  if (mode.asynchronous) {
    auto scan = PageScan::create();
    if (!scan.ok()) return Failure{scan.error()};
    watcher->scan_ = std::move(scan.value());
  }
  for (const Segment& segment : region.segments()) {
    if (const Status status = watcher->watch(segment); !status) return status.failure();
  }
  return std::unique_ptr<PageWatcher>(std::move(watcher));
}

Status UffdWatcher::watch(const Segment& segment) {
  const auto watch_range = [&](ProgramRange range) -> Status {
    if (Status status = userfault_->watch(range); !status) return status;
    // What was touched before is still mapped.
    madvise(reinterpret_cast<void*>(range.begin.value()), range.bytes, MADV_DONTNEED);
    return {};
  };
  if (segment.piece_bytes == 0) return watch_range({segment.address, segment.bytes});
  return each_piece({segment.offset.page(), segment.bytes / kPageBytes},
                    [&](ProgramRange range, PageRange) { return watch_range(range); });
}

Status UffdWatcher::each_piece(
    PageRange pages, const std::function<Status(ProgramRange range, PageRange piece)>& visit) {
  Status result;
  region_.for_each_piece(pages, [&](ProgramAddress begin, PageRange piece) {
    if (result) result = visit({begin, piece.count * kPageBytes}, piece);
  });
  return result;
}

PageRange UffdWatcher::pages_of(ProgramRange range) const {
  return {region_.offset_of(range.begin)->page(), range.bytes / kPageBytes};
}

Status UffdWatcher::map(PageRange pages, bool write_protected) {
  return each_piece(pages, [&](ProgramRange range, PageRange piece) -> Status {
    if (write_protected && !mode_.maps_write_protected) return map_by_copying(range, piece);
    return userfault_->map(range, write_protected,
                           [&](ProgramRange rest) { return region_.populate(pages_of(rest)); });
  });
}

// Before Linux 6.4 the kernel cannot map and protect what the file holds in one step, and a write
// in between would be missed. It can do so for a page that it copies into a hole: the contents go
// to a buffer, the file's pages are given back, and the copy is mapped, protected from the start.
Status UffdWatcher::map_by_copying(ProgramRange range, PageRange pages) {
  constexpr std::uint64_t kBatch = 64;
  std::vector<std::byte> buffer(std::min(pages.count, kBatch) * kPageBytes);
  while (pages.count > 0) {
    const PageRange batch{pages.first, std::min(pages.count, kBatch)};
    const ProgramRange here{range.begin, batch.count * kPageBytes};
    std::memcpy(buffer.data(), region_.page_pointer(batch.first), here.bytes);
    if (Status status = region_.discard(batch); !status) return status;
    if (Status status = userfault_->copy(here, buffer.data()); !status) return status;
    range = {ProgramAddress(range.begin.value() + here.bytes), range.bytes - here.bytes};
    pages = {batch.end(), pages.count - batch.count};
  }
  return {};
}

Status UffdWatcher::set_protection(PageRange pages, int protection) {
  return each_piece(pages, [&](ProgramRange range, PageRange) -> Status {
    auto* const begin = reinterpret_cast<void*>(range.begin.value());
    if (mprotect(begin, range.bytes, protection) == 0) return {};
    return system_failure(errno, "cannot change the protection of shared pages");
  });
}

Status UffdWatcher::map_tracked(PageRange pages) { return map(pages, true); }

Status UffdWatcher::map_untracked(PageRange pages) { return map(pages, false); }

Status UffdWatcher::start_tracking(PageRange pages) {
  return each_piece(pages,
                    [&](ProgramRange range, PageRange) { return userfault_->protect(range); });
}

Status UffdWatcher::stop_tracking(PageRange pages) {
  return each_piece(pages,
                    [&](ProgramRange range, PageRange) { return userfault_->unprotect(range); });
}

Status UffdWatcher::unmap(PageRange pages, PageSet& written) {
  return each_piece(pages, [&](ProgramRange range, PageRange piece) -> Status {
    if (madvise(reinterpret_cast<void*>(range.begin.value()), range.bytes, MADV_DONTNEED) != 0) {
      return system_failure(errno, "cannot take shared pages away from the program");
    }
    if (!mode_.asynchronous) return {};
    PageSet here{piece};
    Status status = scan_->find_unwritten_markers(
        range, [&](ProgramRange unwritten) { here.erase(pages_of(unwritten)); });
    written.insert(here);
    return status;
  });
}

Status UffdWatcher::collect_written(PageRange pages, PageSet& written) {
  WEFT_ASSERT(mode_.asynchronous, "writes are trapped, not collected");
  return each_piece(pages, [&](ProgramRange range, PageRange) {
    return scan_->take_written(range, [&](ProgramRange found) { written.insert(pages_of(found)); });
  });
}

Status UffdWatcher::find_written(PageRange pages, PageSet& found) {
  WEFT_ASSERT(mode_.asynchronous, "writes are trapped, not collected");
  return each_piece(pages, [&](ProgramRange range, PageRange) {
    return scan_->find_written(range, [&](ProgramRange here) { found.insert(pages_of(here)); });
  });
}

Status UffdWatcher::refault(PageIndex page, bool tracked) { return map({page, 1}, tracked); }

int UffdWatcher::fault_descriptor() const {
  return mode_.by_signal ? -1 : userfault_->descriptor();
}

Status UffdWatcher::read_faults(const OnFault& on_fault) {
  if (mode_.by_signal) return {};
  uffd_msg messages[32];
  std::size_t count = 0;
  do {
    count = userfault_->read(messages);
    for (std::size_t i = 0; i < count; ++i) {
      if (messages[i].event != UFFD_EVENT_PAGEFAULT) continue;
      const auto& fault = messages[i].arg.pagefault;
      const auto offset = region_.offset_of(ProgramAddress(fault.address));
      WEFT_ASSERT(offset.has_value(), "a fault at {:#x} is not in the region", fault.address);
      const bool is_write =
          (fault.flags & (UFFD_PAGEFAULT_FLAG_WRITE | UFFD_PAGEFAULT_FLAG_WP)) != 0;
      on_fault({offset->page(), is_write, fault.feat.ptid});
    }
  } while (count == std::size(messages));
  return {};
}

}  // namespace weft
