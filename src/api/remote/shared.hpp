// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calling thread's puts and gets on shared memory that wait for pages. On runtime stacks of
// threads of a node, outside of locks and handlers.
#pragma once

#include <cstddef>

#include "api/remote/records.hpp"

namespace weft::remote {

// Does those whose pages are here. Does not wait.
void advance_shared_operations();
// Waits until they are over: all; those of the record; those of the oldest so many records.
void finish_shared_operations();
void finish_shared_operations_of(const Record& record);
void finish_oldest_shared_operations(std::size_t records);

}  // namespace weft::remote
