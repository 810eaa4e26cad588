// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters of the places in the program that say which memory a loop uses or overwrites
// (__weft_prefetch, __weft_overwrite): how each call of these fares, and on which pages the thread
// faults all the same (docs/internals/ranges.md). Nothing is counted unless `weft run
// --stats=sites` asks for it: then there is a table, else a null pointer, and each call costs a
// load and a branch.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace weft {

// Each call of __weft_prefetch is one of the next three, or prefetches pages. A call of
// __weft_overwrite overwrites pages, is not heard, or has none to overwrite.
enum class SiteCount : std::uint8_t {
  kCalls,
  kNotHeard,          // left out, or said the same as before; also by signal handlers
  kTooSmall,          // too few pages that are shared
  kAllHere,           // nothing was to be done
  kPagesPrefetched,   // that were not here, and that no thread had to touch first
  kPagesOverwritten,  // that were neither fetched nor compared
  kMisses,            // pages that the thread had to ask for afterwards
  kLate,              // pages that it touched while they were on their way
  kInspected,         // calls for which subscripts were run over
};
inline constexpr std::size_t kSiteCountKinds = 9;
inline constexpr std::array<std::string_view, kSiteCountKinds> kSiteCountNames = {
    "calls",  "not_heard", "too_small", "all_here", "pages_prefetched", "pages_overwritten",
    "misses", "late",      "inspected"};

using SiteCounts = std::array<std::uint64_t, kSiteCountKinds>;

// Of one site. Any thread may count.
class SiteCounters {
 public:
  void add(SiteCount what, std::uint64_t count = 1) {
    counts_[static_cast<std::size_t>(what)].fetch_add(count, std::memory_order_relaxed);
  }
  [[nodiscard]] SiteCounts counts() const;

 private:
  std::array<std::atomic<std::uint64_t>, kSiteCountKinds> counts_{};
};

// The sites by the addresses to which their calls return. Exact up to kMost of them; all others
// are counted as one. Never blocks and never allocates after it is made, so signal handlers may
// call it.
class CallSites {
 public:
  static constexpr std::size_t kMost = 4096;

  struct Site {
    std::uintptr_t address;  // 0: those that found no room
    SiteCounts counts;
  };

  CallSites();
  [[nodiscard]] SiteCounters& at(std::uintptr_t address);
  // Those that have been called, in no order.
  [[nodiscard]] std::vector<Site> all() const;

 private:
  struct Entry {
    std::atomic<std::uintptr_t> address = 0;
    SiteCounters counters;
  };

  std::unique_ptr<std::array<Entry, 2 * kMost>> entries_;  // by hash, then the next that is free
  std::atomic<std::size_t> used_ = 0;
  SiteCounters others_;
};

namespace detail {
extern constinit std::atomic<CallSites*> counted_sites;
SiteCounters* note_call(CallSites& sites, std::uintptr_t place);
void note_leaving();
}  // namespace detail

// Before the program runs.
void begin_counting_sites();
// Null: nothing is counted.
[[nodiscard]] inline CallSites* counted_sites() {
  return detail::counted_sites.load(std::memory_order_relaxed);
}

// A thread makes a call at the place. Null if nothing is counted.
[[nodiscard]] inline SiteCounters* count_call(std::uintptr_t place) {
  CallSites* const sites = counted_sites();
  return sites == nullptr ? nullptr : detail::note_call(*sites, place);
}
inline void count_at(SiteCounters* site, SiteCount what, std::uint64_t count = 1) {
  if (site != nullptr) site->add(what, count);
}
// The calling thread has touched a page whose contents were not here: on account of its last call.
void count_absent_page(bool is_under_way);
// The loop that its last call was for has ended: the thread is at a barrier, or begins a region.
inline void leave_said_loop() {
  if (counted_sites() != nullptr) detail::note_leaving();
}

}  // namespace weft
