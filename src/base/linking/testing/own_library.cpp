// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a library that is named as one of Weft's: what the test's own functions come in between.
#include "base/linking/testing/own_library.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

namespace weft {

int event_of_library() { return eventfd(0, 0); }
int parent_of_library() { return getppid(); }
int group_of_library() { return getpgrp(); }

int (*const group_in_table[])() = {getpgrp};

}  // namespace weft
