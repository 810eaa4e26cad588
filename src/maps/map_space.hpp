// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pages of one node's share of the maps (runtime/addresses/maps_layout.hpp) the program has
// mapped.
//
//   free ── take, claim ──► mapped ── release by this node ──────────────► free
//                             └────── release by another ──► resting ──► free
//
// Pages that another node has given back rest until that node's epoch is over, for the reason that
// heap/remote_frees.hpp gives: its last writes may still be on their way. `claim` (MAP_FIXED) takes
// resting pages at once: there the program itself orders its threads.
//
// Not thread-safe. Touches private memory alone.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "base/page_range.hpp"
#include "heap/pages/free_pages.hpp"
#include "heap/pages/heap_layout.hpp"

namespace weft::maps {

using heap::AddressRange;

class MapSpace {
 public:
  explicit MapSpace(AddressRange share);

  // Maps `bytes` (whole pages) somewhere; nothing if there is no room. `epoch` is the present one.
  // The pages hold what their last user left.
  [[nodiscard]] std::optional<AddressRange> take(std::size_t bytes, std::size_t alignment,
                                                 std::uint32_t epoch);
  // Maps exactly these addresses, mapped or not; they lie within the share.
  void claim(AddressRange range);
  // Maps exactly these addresses if none is mapped or rests.
  [[nodiscard]] bool extend(AddressRange range);
  // Unmaps what is mapped of these. `epoch` is the giving node's, if that is another one.
  void release(AddressRange range, std::optional<std::uint32_t> epoch);

  [[nodiscard]] bool is_mapped(AddressRange range) const;

 private:
  struct Resting {
    PageRange pages;
    std::uint32_t epoch;
  };
  [[nodiscard]] PageRange pages_of(AddressRange range) const;
  void end_rest(std::uint32_t epoch);
  void wake(PageRange pages, PageSet& still_free);
  void take_exactly(PageRange pages);

  const AddressRange share_;
  heap::FreePages runs_;
  PageSet mapped_;
  std::deque<Resting> resting_;
};

}  // namespace weft::maps
