// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/search/quiet_stretches.hpp"

#include <algorithm>
#include <utility>

namespace weft {
namespace {

constexpr std::uint64_t kPages = SealedPages::kStretchPages;

}  // namespace

std::vector<PageRange> QuietStretches::note(PageRange looked_at, const PageSet& written) {
  std::vector<PageRange> quiet;
  const std::uint64_t first = (looked_at.first.value() + kPages - 1) / kPages;
  const std::uint64_t end = looked_at.end().value() / kPages;
  for (std::uint64_t stretch = first; stretch < end; ++stretch) {
    const PageRange pages{PageIndex(stretch * kPages), kPages};
    Stretch& known = stretches_.try_emplace(stretch, Stretch{.complete = complete_}).first->second;
    const std::uint64_t looks = 1 + complete_ - std::exchange(known.complete, complete_);
    known.looks += looks;
    if (!written.intersection(pages).empty()) {
      known.looks = 0;
    } else if (known.looks >= known.needed) {
      known.looks = 0;
      if (!quiet.empty() && quiet.back().end() == pages.first) {
        quiet.back().count += kPages;
      } else {
        quiet.push_back(pages);
      }
    }
  }
  return quiet;
}

void QuietStretches::note_opened(PageRange pages) {
  constexpr unsigned kMostNeeded = 1U << 20;
  const std::uint64_t end = (pages.end().value() + kPages - 1) / kPages;
  for (std::uint64_t stretch = pages.first.value() / kPages; stretch < end; ++stretch) {
    Stretch& known = stretches_[stretch];
    known.needed = std::min(2 * known.needed, kMostNeeded);
  }
}

}  // namespace weft
