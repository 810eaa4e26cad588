// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals and Weft's own threads, which take none. Apart from signals.hpp: processes that take over
// no signals (src/binding) have such threads, too.
#pragma once

namespace weft::libc {

// Blocks all signals that can be for the calling thread, for good: one of Weft's own.
void block_all_signals();

}  // namespace weft::libc
