// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which stretches have tracked pages that are never found written. To ask the kernel takes time for
// each page, in each interval; a page that is sealed need not be asked for (see sealed_pages.hpp).
// So what has been quiet for long enough is sealed, and a large part of the shared memory that is
// only read costs a barrier nothing, in however many pieces other nodes read it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/page_range.hpp"
#include "memory/search/sealed_pages.hpp"

namespace weft {

class QuietStretches {
 public:
  static constexpr unsigned kQuietLooks = 32;

  // The tracked pages in `looked_at` were searched, and `written` found. Returns what has been
  // quiet for so many looks now: whole stretches, joined.
  [[nodiscard]] std::vector<PageRange> note(PageRange looked_at, const PageSet& written);
  // What was noted last is all that had been written anywhere by now, though not all was looked
  // at: as good as a look in vain at the rest.
  void note_complete() { ++complete_; }
  // Pages were written that had been sealed: it takes twice as long until they are again.
  void note_opened(PageRange pages);

 private:
  struct Stretch {
    std::uint64_t looks = 0;     // in vain, one after the other
    std::uint64_t complete = 0;  // complete_ at the last look
    unsigned needed = kQuietLooks;
  };

  std::unordered_map<std::uint64_t, Stretch> stretches_;
  std::uint64_t complete_ = 0;  // how often the rest was known to be quiet without a look
};

}  // namespace weft
