// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/page_table.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace weft {

PageTable::PageTable(const EngineConfig& config)
    : config_(config), chunks_((config.page_count + kChunkPages - 1) / kChunkPages) {
  PageIndex next;
  for (const InitialHome& part : config.initial_homes) {
    WEFT_ASSERT(part.pages.first == next, "initial homes leave out page {}", next.value());
    WEFT_ASSERT(part.home.value() < config.node_count, "no node {}", part.home.value());
    next = part.pages.end();
  }
  WEFT_ASSERT(next.value() == config.page_count, "initial homes end at page {}", next.value());
}

NodeId PageTable::home_of(PageIndex page) const {
  const Page* known = find(page);
  return known ? known->home : initial_home(page);
}

NodeId PageTable::initial_home(PageIndex page) const {
  const auto& parts = config_.initial_homes;
  const auto after =
      std::upper_bound(parts.begin(), parts.end(), page,
                       [](PageIndex p, const InitialHome& part) { return p < part.pages.first; });
  return std::prev(after)->home;
}

std::unique_ptr<PageTable::Chunk> PageTable::make_chunk(std::uint64_t index) const {
  auto chunk = std::make_unique<Chunk>();
  // Alone, a node has nobody to track writes for.
  const PageState at_home = config_.node_count == 1 ? PageState::kExclusive : PageState::kShared;
  const std::uint64_t first = index * kChunkPages;
  const std::uint64_t end = std::min(first + kChunkPages, config_.page_count);
  for (std::uint64_t page = first; page < end; ++page) {
    Page& entry = (*chunk)[page - first];
    entry.home = initial_home(PageIndex(page));
    if (entry.home == config_.self) entry.state = at_home;
  }
  return chunk;
}

PageSet PageTable::pages_in(PageState state) const {
  PageSet pages;
  for (std::size_t index = 0; index < chunks_.size(); ++index) {
    if (!chunks_[index]) continue;
    for (std::size_t i = 0; i < kChunkPages; ++i) {
      if ((*chunks_[index])[i].state == state) pages.insert(PageIndex(index * kChunkPages + i));
    }
  }
  return pages;
}

}  // namespace weft
