// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Standard output and error are each node's own pipe to the launcher, but one to the program: what
// it does to their descriptors it does to those of all nodes. Standard input is node 0's.
#pragma once

#include <cstdio>

#include "process/requests/calls.hpp"

namespace weft::process {

[[nodiscard]] bool is_output(int descriptor);
[[nodiscard]] FILE* stream_of(int descriptor);
// Of a standard stream; else -1.
[[nodiscard]] int standard_descriptor_of(const FILE* stream);

// The caller's descriptor is what it is to be; now the others'.
void redirect_others(Node& node, int descriptor);

}  // namespace weft::process
