// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/interface/call_sites.hpp"

#include "base/numbers/mixed.hpp"

namespace weft {
namespace {

// The site of the thread's last call, while the loop that it was for may still run.
constinit thread_local SiteCounters* present_site = nullptr;

}  // namespace

SiteCounts SiteCounters::counts() const {
  SiteCounts counts{};
  for (std::size_t kind = 0; kind < counts.size(); ++kind) {
    counts[kind] = counts_[kind].load(std::memory_order_relaxed);
  }
  return counts;
}

CallSites::CallSites() : entries_(std::make_unique<std::array<Entry, 2 * kMost>>()) {}

// Half of the entries stay free at least, so a search ends soon. Threads that come at once may take
// a few entries more than kMost.
SiteCounters& CallSites::at(std::uintptr_t address) {
  constexpr std::size_t kSize = 2 * kMost;
  static_assert(kSize == std::size_t{1} << 13);
  for (std::size_t index = mixed(address) >> (64 - 13);; index = (index + 1) % kSize) {
    Entry& entry = (*entries_)[index];
    std::uintptr_t there = entry.address.load(std::memory_order_relaxed);
    if (there == address) return entry.counters;
    if (there != 0) continue;
    if (used_.load(std::memory_order_relaxed) >= kMost) return others_;
    if (entry.address.compare_exchange_strong(there, address, std::memory_order_relaxed)) {
      used_.fetch_add(1, std::memory_order_relaxed);
      return entry.counters;
    }
    if (there == address) return entry.counters;
  }
}

std::vector<CallSites::Site> CallSites::all() const {
  std::vector<Site> sites;
  const auto add = [&](std::uintptr_t address, const SiteCounters& counters) {
    const Site site{address, counters.counts()};
    if (site.counts[static_cast<std::size_t>(SiteCount::kCalls)] != 0) sites.push_back(site);
  };
  for (const Entry& entry : *entries_) add(entry.address.load(), entry.counters);
  add(0, others_);
  return sites;
}

namespace detail {

constinit std::atomic<CallSites*> counted_sites = nullptr;

SiteCounters* note_call(CallSites& sites, std::uintptr_t place) {
  present_site = &sites.at(place);
  present_site->add(SiteCount::kCalls);
  return present_site;
}

void note_leaving() { present_site = nullptr; }

}  // namespace detail

// Never destroyed: threads may call until the process is gone.
void begin_counting_sites() {
  detail::counted_sites.store(new CallSites, std::memory_order_release);
}

void count_absent_page(bool is_under_way) {
  count_at(present_site, is_under_way ? SiteCount::kLate : SiteCount::kMisses);
}

}  // namespace weft
