// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Weft asks before it moves a thread that has not asked for it (pthread/balance,
// pthread/gathering), at one of the thread's points.
#pragma once

namespace weft::pthread {

// The thread is one that can be moved, is on its program stack, and holds no lock, nor anything
// that the C library has made for it here.
[[nodiscard]] bool may_be_moved_now();

}  // namespace weft::pthread
