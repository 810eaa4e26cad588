// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// malloc and its kin for libraries that weftcc did not make but the program uses: on the shared
// heap when a thread of the program calls the library, else on the C library's. A thread of the
// program is one that runs on its program stack: constructors, Weft itself and UCX do not.
#pragma once

namespace weft::libc {

// What such a library is to call in place of the C function of this name; null: that one itself.
[[nodiscard]] void* shared_allocation(const char* name);

}  // namespace weft::libc
