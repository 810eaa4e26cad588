// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler pass calls before loops, when the job spans nodes, to say what they will use
// (base/compiler_abi.h).
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/accesses/said_accesses.hpp"
#include "base/compiler_abi.h"
#include "base/page_range.hpp"
#include "runtime/compiled_code/asked_pages.hpp"
#include "runtime/compiled_code/footprint.hpp"
#include "runtime/compiled_code/heard_calls.hpp"
#include "runtime/compiled_code/shared_pages.hpp"
#include "runtime/interface/call_sites.hpp"
#include "runtime/interface/node.hpp"
#include "stacks/stacks.hpp"

namespace weft {
namespace {

// In one call. A loop that uses more faults at the end of that, and its faults fetch ahead.
constexpr std::size_t kMostRuns = 8192;
// Fewer are left to faults, which fetch ahead: of lines of an array in turn, say.
constexpr std::uint64_t kFewestPages = 8;

// By pages, as lines of an array lie in the same ones.
std::uint64_t digest_of(const SaidAccess& access) {
  CallDigest digest(access.first / kPageBytes);
  digest.add(access.bytes);
  for (const weft_stride& each : access.strides) {
    digest.add(static_cast<std::uint64_t>(each.bytes));
    digest.add(each.count);
  }
  return digest.value();
}

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
  return ask_for_pages(node, pages, use, counters);
}

void hear(std::uintptr_t caller, std::uintptr_t place, const SaidAccess& access,
          PrefetchSite::Ticks now) {
  const auto heard = hear_call(caller, place, now, [&] { return digest_of(access); });
  if (!heard) return;
  on_runtime_stack(
      [&] { heard->site.note_outcome(prefetch(heard->node, access, heard->counters) > 0, now); });
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
       PrefetchSite::now());
}

extern "C" [[gnu::visibility("default")]] void __weft_prefetch_all(const struct weft_uses* uses,
                                                                   const uint64_t* values) {
  using namespace weft;
  const PrefetchSite::Ticks now = PrefetchSite::now();
  // As long as all of its accesses are left out. Before a loop of two steps their numbers would
  // take longer than the loop.
  PrefetchSite& all = PrefetchSite::at(reinterpret_cast<std::uintptr_t>(uses));
  if (all.is_left_out(now) && counted_sites() == nullptr) return;
  const auto caller = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  PrefetchSite::Ticks until = std::numeric_limits<PrefetchSite::Ticks>::max();
  for_each_access(*uses, values, [&](std::uintptr_t place, const SaidAccess& access) {
    hear(caller, place, access, now);
    until = std::min(until, PrefetchSite::at(place).left_out_until());
  });
  all.leave_out_until(until);
}

extern "C" [[gnu::visibility("default")]] void __weft_await_prefetches(void) {
  using namespace weft;
  if (!has_asked_for_pages() || is_in_signal_handler()) return;
  on_runtime_stack([] { await_asked_pages(*this_node()); });
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
