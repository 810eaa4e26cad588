// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sentences of -fweft-check-ranges, the first of each kind for each place in the program.
//
//   error   a byte was said to be overwritten, and was loaded before, or not stored to: the program
//           may compute something else on several nodes. It is a mistake of the compiler's pass.
//   miss    a prefetch said too little or too much: that costs time, and nothing else.
//
// On one node the program goes on, as nothing went wrong there, and so one run shows all places. If
// there was an error, it ends with WEFT_STATUS_OF_WRONG_RANGES. On several nodes the node ends at
// once, and so the job: its memory may be wrong.
#pragma once

#include <cstdint>

#include "base/accesses/strided.hpp"
#include "base/compiler_abi.h"

namespace weft::checks {

enum class Report : std::uint8_t {
  kLoadedBefore,    // error
  kNotOverwritten,  // error
  kOutside,         // miss
  kNotStored,       // miss
  kNotLedTo,        // miss: as kOutside, where values lead to the memory said
};

// `bytes` at `at` are those that should have been used otherwise.
void report(Report what, const weft_place& where, std::uintptr_t at, std::uint64_t bytes,
            const weft_place& said_at, const Strided& said);

}  // namespace weft::checks
