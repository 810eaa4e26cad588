// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linked into every shared library that weftcc makes: the first of its constructors, which tells
// the runtime that a library of the program is there. On one node that is a test and nothing else.
// On several nodes the library's data is going to be shared, so its constructors must not run on
// every node, nor before it is: the node library puts them off
// (runtime/adoption/starting_libraries.hpp).
#include "base/compiler_abi.h"

namespace {

void begin() {
  if (__weft_spans_nodes != 0) __weft_library_begins(reinterpret_cast<const void*>(&begin));
}

// The linkers sort by the number: nothing comes before 0.
[[gnu::section(".init_array.00000"), gnu::used,
  gnu::retain]] void (*const first_constructor)() = begin;

}  // namespace

// What the link asks for, so that this comes out of the archive.
extern "C" [[gnu::visibility("hidden")]] const char weft_library_of_the_program = 0;
