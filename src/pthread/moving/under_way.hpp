// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace weft::pthread {

// Whether all functions that are under way in the calling thread's program part are the program's,
// the C++ library's or Weft's own. One of another library, such as qsort, may have memory of this
// node's. On the program stack; takes about a microsecond for each function.
[[nodiscard]] bool is_program_alone_under_way();

}  // namespace weft::pthread
