// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages that an inspection has found, kept for as long as the values that it has read are the same.
//
// Whether they are is seen by digests of them, page by page: of all of them if some had left this
// node, as another may have written them; else of some, of others each time. So a small change of
// this node's own is seen after kTurns calls at most. Until then some pages are asked for in vain,
// or left to faults. Rejected: to watch these pages for writes, as most of them are this node's own
// alone, whose writes nobody notices.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/page_range.hpp"
#include "base/signal_safe_mutex.hpp"
#include "runtime/inspecting/inspection.hpp"

namespace weft {

class KeptInspection {
 public:
  // How many calls it takes to look at all values.
  static constexpr std::uint32_t kTurns = 16;

  // `memory`: what the inspection has read.
  KeptInspection(Inspected inspected, IndexMemory memory);

  [[nodiscard]] const std::vector<AddressRange>& pages() const { return pages_; }
  // Pages of the values, ascending and apart.
  [[nodiscard]] const std::vector<AddressRange>& index_pages() const { return index_pages_; }
  // `all`: looks at all values. Any thread may ask.
  [[nodiscard]] bool is_valid(IndexMemory memory, bool all);

 private:
  struct Piece {  // of one page
    std::uintptr_t first = 0, end = 0;
    std::uint64_t digest = 0;  // 0: it could not be read
  };
  static std::uint64_t digest_of(const Piece& piece, IndexMemory& memory);

  std::vector<AddressRange> pages_, index_pages_;
  std::vector<Piece> pieces_;
  std::atomic<std::uint32_t> turn_ = 0;
};

// By the digests of the calls. Of two that share a place the later one is kept.
class KeptInspections {
 public:
  [[nodiscard]] std::shared_ptr<KeptInspection> find(std::uint64_t call) const;
  void keep(std::uint64_t call, std::shared_ptr<KeptInspection> inspection);

 private:
  struct Entry {
    std::uint64_t call = 0;
    std::shared_ptr<KeptInspection> inspection;
  };
  static constexpr std::size_t kMost = 256;

  [[nodiscard]] static std::size_t place_of(std::uint64_t call) { return call % kMost; }

  mutable SignalSafeMutex lock_;
  std::array<Entry, kMost> entries_;
};

}  // namespace weft
