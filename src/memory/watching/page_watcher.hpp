// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the operating system does for page watching: giving the program access to pages of its view,
// taking it away, noticing writes, and reporting touches of absent pages. Three implementations:
//
//   uffd-async   userfaultfd; the kernel notes first writes by itself        Linux 6.7
//   uffd-sync    userfaultfd; a first write is a fault like any other        Linux 5.19
//   mprotect     page protections; every fault is a SIGSEGV                  any
//
// The watcher keeps no state about pages: WatchedMemory does, and calls only what fits a page's
// state. Calls are serialised by the caller, while program threads touch pages at any moment.
// Ranges may span segments. A failure means that the host is out of something (memory, mappings);
// the pages are then in an unknown state, and the job must end.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/ids.hpp"
#include "base/page_range.hpp"
#include "base/result.hpp"

namespace weft {

struct Segment;

struct WatcherTraits {
  std::string name;  // "uffd-async", ...
  // A first write to a tracked page is a fault (and collect_written is not to be called).
  bool traps_writes = false;
  // Signal that the faulting thread gets; 0: faults are read from fault_descriptor() instead.
  int fault_signal = 0;
  // After stop_tracking a page's first write is a fault that the kernel settles by itself.
  bool opens_by_fault = false;
  // seal() works: writes to some pages can be made to trap where those to others do not.
  bool seals = false;
  // System calls may be given absent pages. Otherwise they fail with EFAULT, and the buffers must
  // be touched before the call.
  bool serves_system_calls = false;
};

// One touch that needs help, as read from fault_descriptor().
struct ReportedFault {
  PageIndex page;
  bool is_write = false;
  std::uint32_t thread = 0;  // the kernel's thread id
};

class PageWatcher {
 public:
  using OnFault = std::function<void(const ReportedFault&)>;

  virtual ~PageWatcher() = default;
  [[nodiscard]] virtual const WatcherTraits& traits() const = 0;

  // A segment that was attached to the region: its pages are absent from now on.
  virtual Status watch(const Segment& segment) = 0;

  // Absent pages become readable; the first write is noticed. Wakes threads that wait for them.
  virtual Status map_tracked(PageRange pages) = 0;
  // Absent pages become readable and writable. Wakes threads that wait for them.
  virtual Status map_untracked(PageRange pages) = 0;
  // Mapped pages: from the return on, the next write to each is noticed.
  virtual Status start_tracking(PageRange pages) = 0;
  // Mapped pages: writes are no longer noticed. Wakes threads that wait to write.
  virtual Status stop_tracking(PageRange pages) = 0;
  // Mapped pages become absent. Adds those written since tracking began to `written` where the
  // watcher knows by itself (untracked ones count as written).
  virtual Status unmap(PageRange pages, PageSet& written) = 0;
  // Mapped tracked pages: adds those written since tracking began or since the last call, which
  // are tracked anew. Only if the watcher does not trap writes.
  virtual Status collect_written(PageRange pages, PageSet& written) = 0;
  // Any pages: adds the tracked ones that were written, and some that are not tracked, to `found`;
  // nothing changes. One look at a stretch costs less than collecting from each range in it.
  // Only if the watcher does not trap writes.
  virtual Status find_written(PageRange, PageSet&) { return Failure{"this watcher traps writes"}; }
  // A fault was reported for a page that should be mapped: the kernel reclaimed it, or it was
  // mapped just after the touch. Makes sure that it is, and wakes its waiters. `tracked`: nobody
  // can write it unnoticed now, and that is to stay so.
  virtual Status refault(PageIndex page, bool tracked) = 0;

  // First writes to these pages trap, absent or mapped, until they are unsealed. Whole ranges alone
  // should be sealed: each end of one costs the process a mapping.
  virtual Status seal(PageRange) { return Failure{"this watcher does not seal pages"}; }
  virtual Status unseal(PageRange) { return Failure{"this watcher does not seal pages"}; }

  // Readable when faults wait to be read; -1 where faults are signals.
  [[nodiscard]] virtual int fault_descriptor() const { return -1; }
  // Hands over what is there without waiting. A fault is reported once.
  virtual Status read_faults(const OnFault& on_fault) { return {}; }
};

}  // namespace weft
