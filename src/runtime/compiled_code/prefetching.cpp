// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler pass calls before loops, when the job spans nodes, to say what they will use
// (base/compiler_abi.h). A call that finds everything here is made less often the next times.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>

#include "base/compiler_abi.h"
#include "base/page_range.hpp"
#include "runtime/compiled_code/footprint.hpp"
#include "runtime/compiled_code/shared_pages.hpp"
#include "runtime/interface/node.hpp"
#include "stacks/stacks.hpp"

namespace weft {
namespace {

// In one call. A loop that uses more faults at the end of that, and its faults fetch ahead.
constexpr std::uint64_t kMostPages = 65536;
constexpr std::size_t kMostRuns = 8192;
// The node answers nobody meanwhile.
constexpr std::uint64_t kPagesAtOnce = 256;

// How a place in the program fares. Of two that share an entry each begins anew: it costs time.
struct Site {
  std::atomic<std::uintptr_t> place = 0;
  std::atomic<std::uint32_t> in_vain = 0;   // in a row
  std::atomic<std::uint32_t> left_out = 0;  // of the calls to leave out
};

class Sites {
 public:
  static Site& at(std::uintptr_t place) {
    Site& site = sites_[(place * 0x9E3779B97F4A7C15U) >> 55U];
    if (site.place.load(std::memory_order_relaxed) != place) {
      site.place.store(place, std::memory_order_relaxed);
      site.in_vain.store(0, std::memory_order_relaxed);
      site.left_out.store(0, std::memory_order_relaxed);
    }
    return site;
  }

 private:
  static inline constinit std::array<Site, 512> sites_{};
};

bool is_left_out(Site& site) {
  const std::uint32_t left = site.left_out.load(std::memory_order_relaxed);
  if (left > 0) site.left_out.store(left - 1, std::memory_order_relaxed);
  return left > 0;
}

void note_outcome(Site& site, bool was_of_use) {
  constexpr std::uint32_t kMostInVain = 6;
  if (was_of_use) return site.in_vain.store(0, std::memory_order_relaxed);
  const std::uint32_t in_vain =
      std::min(kMostInVain, site.in_vain.load(std::memory_order_relaxed) + 1);
  site.in_vain.store(in_vain, std::memory_order_relaxed);
  site.left_out.store((1U << in_vain) / 2, std::memory_order_relaxed);
}

// What the calling thread has asked for and not waited for. More than these are not waited for.
struct Asked {
  std::array<PageRange, 64> stretches;
  std::size_t count = 0;
};
thread_local Asked asked;

void note_asked(PageRange pages) {
  if (asked.count < asked.stretches.size()) asked.stretches[asked.count++] = pages;
}

std::uint64_t prefetch(Node& node, const std::vector<AddressRange>& runs) {
  std::uint64_t left = kMostPages, saved = 0;
  for (const AddressRange& run : runs) {
    PageRange pages = shared_pages(node, run.first, run.end);
    pages.count = std::min(pages.count, left);
    left -= pages.count;
    while (pages.count > 0) {
      const PageRange some{pages.first, std::min(pages.count, kPagesAtOnce)};
      const std::uint64_t saved_here = node.prefetch(some);
      if (saved_here > 0) note_asked(some);
      saved += saved_here;
      pages = {some.end(), pages.count - some.count};
    }
  }
  return saved;
}

}  // namespace
}  // namespace weft

extern "C" [[gnu::visibility("default")]] void __weft_prefetch(const void* first, uint64_t bytes,
                                                               const struct weft_stride* strides,
                                                               uint32_t stride_count) {
  using namespace weft;
  Node* const node = this_node();
  // A handler may have interrupted anything, the runtime for one.
  if (node == nullptr || is_in_signal_handler()) return;
  Site& site = Sites::at(reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
  if (is_left_out(site)) return;
  on_runtime_stack([&] {
    const std::vector<AddressRange> runs = footprint(reinterpret_cast<std::uintptr_t>(first), bytes,
                                                     {strides, stride_count}, kMostRuns);
    note_outcome(site, prefetch(*node, runs) > 0);
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
  if (node == nullptr || bytes > sizeof(std::uint64_t) || !node->is_shared(p) ||
      !node->is_shared(static_cast<const std::byte*>(p) + bytes - 1)) {
    return 0;
  }
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t value = 0;
  std::memcpy(&value, p, bytes);
  return value;
}
