// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace weft {

#pragma GCC visibility push(default)
// They call eventfd, getppid and getpgrp.
int event_of_library();
int parent_of_library();
int group_of_library();
extern int (*const group_in_table[1])();
#pragma GCC visibility pop

}  // namespace weft
