// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access that the program takes away, by mprotect or mmap. In the shared region that has no effect:
// pages are watched there. A program that never touches such pages cannot tell; one that has a
// handler for the fault can, so it is refused. But for memory that nobody is ever to touch, of mmap
// with PROT_NONE, there are addresses at which no node has anything: a touch is a fault on each of
// them.
#pragma once

#include <cstddef>

#include "heap/pages/heap_layout.hpp"
#include "runtime/interface/node.hpp"

namespace weft::maps {

using heap::AddressRange;

// The program has a handler for SIGSEGV or SIGBUS.
[[nodiscard]] bool has_fault_handler();

// Addresses where nobody has anything, for good; null if there are none left.
[[nodiscard]] void* untouchable(const Node& node, std::size_t bytes);
[[nodiscard]] bool is_untouchable(const void* address);

// Shared maps of files that are given PROT_WRITE only now are to be written back, too. False with
// errno: a file is open for reading alone.
[[nodiscard]] bool give_access(Node& node, AddressRange range);

// Ends the job if the program could tell that nothing is done.
void check_protection(Node& node, const void* address, int protection);

}  // namespace weft::maps
