// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/compiled_code/asked_pages.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "runtime/compiled_code/page_portions.hpp"

namespace weft {
namespace {

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

}  // namespace

std::uint64_t ask_for_pages(Node& node, std::span<const PageRange> pages, MemoryUse use) {
  std::uint64_t saved = 0;
  PagePortions portions(std::min(kMostPrefetchedPages, most_pages_to_ask_for(node)),
                        [&](const std::vector<PageRange>& some) {
                          const std::uint64_t of_these = node.prefetch(some, use);
                          if (of_these > 0) note_asked(some);
                          saved += of_these;
                        });
  for (const PageRange& range : pages) portions.add(range);
  portions.end();
  return saved;
}

std::uint64_t ask_for_pages(Node& node, std::span<const PageRange> pages, MemoryUse use,
                            SiteCounters* counters) {
  const std::uint64_t saved = ask_for_pages(node, pages, use);
  if (saved > 0) {
    count_at(counters, SiteCount::kPagesPrefetched, saved);
  } else {
    count_at(counters, SiteCount::kAllHere);
  }
  return saved;
}

void await_asked_pages(Node& node) {
  for (std::size_t index = 0; index < asked.count; ++index)
    node.await_prefetched(asked.stretches[index]);
  asked.count = 0;
}

bool has_asked_for_pages() { return asked.count != 0; }

}  // namespace weft
