// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pages of a mapping of this process may hold something else than zero, found without
// touching them: a program's .bss may be gigabytes of pages that nobody has touched, and reading
// those would build page tables for all of them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/addresses.hpp"

namespace weft {

class ExistingContents {
 public:
  ExistingContents(ProgramAddress address, std::uint64_t bytes);

  // True also for every page of which nothing is known.
  [[nodiscard]] bool may_differ_from_zero(std::uint64_t page) const {
    return pages_.empty() || pages_[page];
  }

 private:
  std::vector<bool> pages_;  // empty: nothing is known
};

}  // namespace weft
