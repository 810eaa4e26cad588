// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/pushing/rhythm_finder.hpp"

#include <utility>

namespace weft {

std::optional<Rhythm> RhythmFinder::asked(std::uint32_t beginning, std::uint32_t times) {
  if (last_ == beginning) return std::nullopt;  // it came twice
  const std::uint32_t before = std::exchange(last_, beginning);
  if (before == 0) return std::nullopt;
  const std::uint32_t gap = beginning - before;
  alike_ = gap == gap_ ? alike_ + 1 : 1;
  gap_ = gap;
  if (gap < 2 || alike_ < times) return std::nullopt;
  return Rhythm{gap, beginning % gap};
}

}  // namespace weft
