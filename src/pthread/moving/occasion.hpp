// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Weft asks before it moves a thread that has not asked for it (pthread/balance,
// pthread/gathering), at one of the thread's points.
#pragma once

namespace weft::pthread {

// The thread is one that can be moved, is on its program stack, and holds no lock.
[[nodiscard]] bool may_be_moved_now();

// The program has bound it to processors of this host. Asks the kernel.
[[nodiscard]] bool is_bound_by_program();

}  // namespace weft::pthread
