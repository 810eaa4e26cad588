// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory that the layout has for few programs (Region::open_stage): when one node needs it,
// it is made on all of them.
#pragma once

#include "runtime/driver/driver.hpp"

namespace weft {

// Answers other nodes from now on; before the program runs.
void serve_later_memory(Driver& driver);

// The memory of all stages up to this one is there on all nodes when this returns. It blocks; more
// calls do no harm.
void open_later_memory(unsigned stage);

}  // namespace weft
