// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this node knows of each page (protocol.md, 1). Two levels: a chunk of 512 pages is made when
// one of its pages is first asked for, so that a region of terabytes costs what is used of it.
// Nothing here iterates over all pages, but what is asked before a fork.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/ids.hpp"
#include "base/page_range.hpp"
#include "protocol/engine.hpp"

namespace weft {

enum class PageState : std::uint8_t { kPristine, kValid, kInvalid, kShared, kExclusive };

inline constexpr NodeId kNoNode = NodeId(0xffff);

struct Page {
  Epoch home_since;   // at the home: since when it has been that without a break
  Epoch stale_since;  // elsewhere: the epoch that began when all were told that it was written
  std::uint32_t request = 0;  // the fetch that may still bring this page; 0 for none
  std::uint32_t fetched = 0;  // the one that brought it last
  NodeId home;
  // Who alone wrote it in the last epoch in which anybody did, and in the one before; kNoNode if
  // several did, or nobody yet. The same at all nodes.
  NodeId last_writer = kNoNode, writer_before = kNoNode;
  PageState state = PageState::kPristine;
  bool mapped = false;  // the program has access
  bool wanted = false;  // a thread waits for the fetch (else it is read-ahead)
  bool owed = false;    // nothing has come, nor been taken away, since stale_since: a push may come

  [[nodiscard]] bool is_home() const {
    return state == PageState::kShared || state == PageState::kExclusive;
  }
  // Pushed, and not mapped, to see whether it is touched.
  [[nodiscard]] bool is_held_back() const { return state == PageState::kValid && !mapped; }
};

class PageTable {
 public:
  explicit PageTable(const EngineConfig& config);

  Page& at(PageIndex page) {
    std::unique_ptr<Chunk>& chunk = chunks_[page.value() / kChunkPages];
    if (!chunk) [[unlikely]]
      chunk = make_chunk(page.value() / kChunkPages);
    return (*chunk)[page.value() % kChunkPages];
  }
  // As at(), but null for a page about which there is nothing to know but its initial home.
  [[nodiscard]] const Page* find(PageIndex page) const {
    const Chunk* chunk = chunks_[page.value() / kChunkPages].get();
    return chunk ? &(*chunk)[page.value() % kChunkPages] : nullptr;
  }
  [[nodiscard]] NodeId home_of(PageIndex page) const;
  [[nodiscard]] std::uint64_t page_count() const { return config_.page_count; }
  [[nodiscard]] PageSet pages_in(PageState state) const;

 private:
  static constexpr std::size_t kChunkPages = 512;
  using Chunk = std::array<Page, kChunkPages>;

  [[nodiscard]] NodeId initial_home(PageIndex page) const;
  [[nodiscard]] std::unique_ptr<Chunk> make_chunk(std::uint64_t index) const;

  const EngineConfig& config_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
};

}  // namespace weft
