// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many written pages a search can find at most. Where the kernel lets writes pass and notes
// them, the first write to a page is still a fault for the kernel, and it counts a process's
// faults. So while none of its threads is in one, no more pages can have been written since the
// last search than there were faults: if there was none, there is nothing to search for.
//
// That holds for pages that were protected when they were last searched or mapped, and for writes
// of this process. What a debugger or another process writes is another's fault: so now and then
// everything is searched all the same.
#pragma once

#include <cstdint>

namespace weft {

class SearchNeed {
 public:
  static constexpr std::uint64_t kEverything = UINT64_MAX;
  static constexpr unsigned kSearchesOfAll = 64;  // one search in so many is of everything

  // A search begins now. Returns how many pages it can find; kEverything: nobody knows.
  [[nodiscard]] std::uint64_t begin();
  // A page was mapped as written without a fault that the kernel counts.
  void forget() { knows_ = false; }

 private:
  std::uint64_t faults_ = 0;  // when the last search began
  unsigned searches_ = 0;
  bool knows_ = false;
};

}  // namespace weft
