// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread is about to do with memory, as its compiler says ahead of a loop,
// or the program.
#pragma once

#include <cstdint>

namespace weft {

enum class MemoryUse : std::uint8_t {
  kLoads,
  kStores,    // and perhaps loads
  kReplaces,  // stores to most of it
  kOwns,      // nothing yet. Once it writes a page alone, it is to be the page's home
};

}  // namespace weft
