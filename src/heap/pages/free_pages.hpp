// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pages of a share are free. Best fit, the lowest address among equals; neighbouring free
// runs become one. Pages above the high-water mark were never handed out: they are known to hold
// zeros, and cost nothing on any node as long as nobody writes them, so they are taken last.
//
// Page numbers count from the beginning of the share. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace weft::heap {

class FreePages {
 public:
  struct Run {
    std::uint64_t first = 0, count = 0;
    // Pages of the run from here on hold zeros; first + count if none is known to.
    std::uint64_t zero_from = 0;
  };

  // The pages [first, end) are free and never used.
  FreePages(std::uint64_t first, std::uint64_t end);

  // A run of `count` pages whose first is a multiple of `alignment` beyond `phase`: that is,
  // (first + phase) % alignment == 0. Nothing if there is none.
  [[nodiscard]] std::optional<Run> take(std::uint64_t count, std::uint64_t alignment = 1,
                                        std::uint64_t phase = 0);
  // Takes exactly the `count` pages from `first`, if they are free.
  [[nodiscard]] std::optional<Run> take_at(std::uint64_t first, std::uint64_t count);
  void give(std::uint64_t first, std::uint64_t count);

  [[nodiscard]] std::uint64_t pages_in_use() const { return in_use_; }
  [[nodiscard]] std::uint64_t page_count() const { return end_ - begin_; }
  [[nodiscard]] std::uint64_t high_water() const { return high_water_; }

 private:
  void insert(std::uint64_t first, std::uint64_t count);
  void erase(std::uint64_t first, std::uint64_t count);
  // Moves the high-water mark so that [first, first + count) is below it, and returns that run.
  Run raise(std::uint64_t first, std::uint64_t count);

  std::uint64_t begin_, end_;
  std::uint64_t high_water_;
  std::uint64_t in_use_ = 0;
  // The free runs below the high-water mark: first -> count, and {count, first}.
  std::map<std::uint64_t, std::uint64_t> by_address_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> by_size_;
};

}  // namespace weft::heap
