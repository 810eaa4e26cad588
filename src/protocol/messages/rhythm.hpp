// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rhythm in which a page is pushed (protocol/pushing.md, 14). The beginnings of a phase are
// counted, alike at all nodes. Most pages are due at each beginning before which they were written;
// but one that is finished in sixteen steps and then read once is due at every sixteenth.
#pragma once

#include <cstdint>

#include "base/codec.hpp"
#include "base/ids.hpp"
#include "base/page_range.hpp"

namespace weft {

struct Rhythm {
  std::uint32_t period = 1;  // beginnings from one push to the next; at least 1
  std::uint32_t offset = 0;  // below the period

  [[nodiscard]] bool includes(std::uint32_t beginning) const {
    return beginning % period == offset;
  }
  // The first beginning at or after this one at which the page is due.
  [[nodiscard]] std::uint32_t first_from(std::uint32_t beginning) const {
    return beginning + (offset + period - beginning % period) % period;
  }
  [[nodiscard]] std::uint32_t cycle(std::uint32_t beginning) const { return beginning / period; }
  WEFT_FIELDS(self.period, self.offset)
  auto operator<=>(const Rhythm&) const = default;
};

struct PagesInRhythm {
  Rhythm rhythm;
  PageSet pages;
  WEFT_FIELDS(self.rhythm, self.pages)
};

}  // namespace weft
