// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler pass calls before loops, when the job spans nodes, to say what they will use
// (base/compiler_abi.h). A call that finds everything here is made less often the next times.
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <x86intrin.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>

#include "base/accesses/said_accesses.hpp"
#include "base/compiler_abi.h"
#include "base/numbers/mixed.hpp"
#include "base/page_range.hpp"
#include "runtime/compiled_code/footprint.hpp"
#include "runtime/compiled_code/page_portions.hpp"
#include "runtime/compiled_code/shared_pages.hpp"
#include "runtime/interface/call_sites.hpp"
#include "runtime/interface/node.hpp"
#include "stacks/stacks.hpp"

namespace weft {
namespace {

// In one call. A loop that uses more faults at the end of that, and its faults fetch ahead.
constexpr std::uint64_t kMostPages = 65536;
constexpr std::size_t kMostRuns = 8192;
// Fewer are left to faults, which fetch ahead: of lines of an array in turn, say.
constexpr std::uint64_t kFewestPages = 8;

// How a place in the program fares. Calls that find everything here take a thirtieth of the time at
// most, and less and less if they go on so, be they many, from an inner loop, or few. Of two places
// that share an entry either may be left out for the other: it costs faults.
class Site {
 public:
  static Site& at(std::uintptr_t place);

  // Of the clock that takes least to read: some calls are left out in inner loops.
  using Ticks = std::int64_t;
  static Ticks now() { return static_cast<Ticks>(__rdtsc()); }

  [[nodiscard]] bool is_left_out(Ticks now) const {
    return now < until_.load(std::memory_order_relaxed);
  }
  void note_outcome(bool was_of_use, Ticks began) {
    if (was_of_use) return in_vain_.store(0, std::memory_order_relaxed);
    constexpr Ticks kLongest = 200'000;  // whoever took longer was held up
    constexpr std::uint32_t kMostInVain = 5;
    const std::uint32_t in_vain = in_vain_.load(std::memory_order_relaxed);
    const Ticks end = now(), took = std::min(end - began, kLongest);
    until_.store(end + ((30 * took) << in_vain), std::memory_order_relaxed);
    in_vain_.store(std::min(in_vain + 1, kMostInVain), std::memory_order_relaxed);
  }

 private:
  std::atomic<Ticks> until_ = 0;
  std::atomic<std::uint32_t> in_vain_ = 0;  // in a row
};

constinit std::array<Site, 512> sites{};

Site& Site::at(std::uintptr_t place) { return sites[mixed(place) >> 55U]; }

// What the calling thread has asked for and not waited for. More than these are not waited for.
struct Asked {
  std::array<PageRange, 256> stretches;
  std::size_t count = 0;
};
thread_local Asked asked;

void note_asked(std::span<const PageRange> pages) {
  const std::size_t count = std::min(pages.size(), asked.stretches.size() - asked.count);
  std::ranges::copy(pages.first(count), asked.stretches.begin() + asked.count);
  asked.count += count;
}

// A loop in a function that is called for each line of an array says for hundreds of lines in turn
// what lies in the same pages.
class LastCalls {
 public:
  // Whether this thread's last call at that place was for the same pages, and nothing was lost
  // since.
  bool is_repeated(std::uintptr_t place, const SaidAccess& access, std::uint64_t losses) {
    Call& last = calls_[mixed(place) >> 59U];
    const std::uint64_t digest = digest_of(access);
    if (last.place == place && last.digest == digest && last.losses == losses) return true;
    last = {place, digest, losses};
    return false;
  }

 private:
  struct Call {
    std::uintptr_t place = 0;
    std::uint64_t digest = 0, losses = 0;
  };

  static std::uint64_t digest_of(const SaidAccess& access) {
    std::uint64_t digest = access.first / kPageBytes;
    const auto add = [&](std::uint64_t value) {
      digest = mixed(digest ^ value);
      digest ^= digest >> 32U;
    };
    add(access.bytes);
    for (const weft_stride& each : access.strides) {
      add(static_cast<std::uint64_t>(each.bytes));
      add(each.count);
    }
    return digest;
  }

  std::array<Call, 32> calls_;
};
thread_local LastCalls last_calls;

std::uint64_t prefetch(Node& node, const SaidAccess& access, SiteCounters* counters) {
  const std::vector<AddressRange> runs =
      footprint(access.first, access.bytes, access.strides, kMostRuns);
  std::vector<PageRange> pages;
  std::uint64_t count = 0;
  for (const AddressRange& run : runs) {
    pages.push_back(shared_pages(node, run.first, run.end));
    count += pages.back().count;
  }
  if (count < kFewestPages) {
    count_at(counters, SiteCount::kTooSmall);
    return 0;
  }
  const bool stores = access.use == WEFT_USE_STORES;
  MemoryUse use = stores ? MemoryUse::kStores : MemoryUse::kLoads;
  if (stores && fills(count, access.bytes, access.strides)) use = MemoryUse::kReplaces;
  std::uint64_t saved = 0;  // of the pages a thread would have faulted on so many
  PagePortions portions(std::min(kMostPages, most_pages_to_ask_for(node)),
                        [&](const std::vector<PageRange>& some) {
                          const std::uint64_t of_these = node.prefetch(some, use);
                          if (of_these > 0) note_asked(some);
                          saved += of_these;
                        });
  for (const PageRange& range : pages) portions.add(range);
  portions.end();
  if (saved > 0) {
    count_at(counters, SiteCount::kPagesPrefetched, saved);
  } else {
    count_at(counters, SiteCount::kAllHere);
  }
  return saved;
}

// `caller`: what its counters go by. Several accesses of one caller fare each by itself.
void hear(std::uintptr_t caller, std::uintptr_t place, const SaidAccess& access, Site::Ticks now) {
  Site& site = Site::at(place);
  if (site.is_left_out(now)) return count_at(count_call(caller), SiteCount::kNotHeard);
  SiteCounters* const counters = count_call(caller);
  Node* const node = this_node();
  // A handler may have interrupted anything, the runtime for one.
  if (node == nullptr || is_in_signal_handler()) return count_at(counters, SiteCount::kNotHeard);
  if (last_calls.is_repeated(place, access, node->access_losses()))
    return count_at(counters, SiteCount::kNotHeard);
  on_runtime_stack([&] { site.note_outcome(prefetch(*node, access, counters) > 0, now); });
}

}  // namespace
}  // namespace weft

extern "C" [[gnu::visibility("default")]] void __weft_prefetch(const void* first, uint64_t bytes,
                                                               const struct weft_stride* strides,
                                                               uint32_t stride_count,
                                                               uint32_t use) {
  using namespace weft;
  const auto place = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  hear(place, place, {reinterpret_cast<std::uintptr_t>(first), bytes, {strides, stride_count}, use},
       Site::now());
}

extern "C" [[gnu::visibility("default")]] void __weft_prefetch_all(const struct weft_uses* uses,
                                                                   const uint64_t* values) {
  using namespace weft;
  const auto caller = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  for_each_access(*uses, values,
                  [=, now = Site::now()](std::uintptr_t place, const SaidAccess& access) {
                    hear(caller, place, access, now);
                  });
}

extern "C" [[gnu::visibility("default")]] void __weft_await_prefetches(void) {
  using namespace weft;
  if (asked.count == 0 || is_in_signal_handler()) return;
  Node* const node = this_node();
  on_runtime_stack([node] {
    for (std::size_t index = 0; index < asked.count; ++index)
      node->await_prefetched(asked.stretches[index]);
    asked.count = 0;
  });
}

extern "C" [[gnu::visibility("default")]] uint64_t __weft_hint_load(const void* p, uint32_t bytes) {
  using namespace weft;
  const Node* const node = this_node();
  if (node == nullptr || bytes > sizeof(std::uint64_t)) return 0;
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t value = 0;
  if (node->is_shared(p) && node->is_shared(static_cast<const std::byte*>(p) + bytes - 1)) {
    std::memcpy(&value, p, bytes);
    return value;
  }
  // Copies of variables that a region only reads are this node's own (openmp/regions). The kernel
  // says whether the address means anything.
  const iovec to{&value, bytes}, from{const_cast<void*>(p), bytes};
  const long self = syscall(SYS_getpid);  // getpid is the program's, which is node 0's
  return syscall(SYS_process_vm_readv, self, &to, 1, &from, 1, 0) == bytes ? value : 0;
}
