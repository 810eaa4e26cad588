// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linked into every executable that weftcc makes: what the dynamic linker calls before the
// constructors of libraries. On one node that is a test and nothing else. On several nodes it is
// the only moment at which the node library can put off the constructors of foreign libraries
// (runtime/adoption/foreign_constructors.hpp).
#include "base/compiler_abi.h"

namespace {

void begin() {
  if (__weft_spans_nodes != 0) __weft_program_begins();
}

[[gnu::section(".preinit_array"), gnu::used, gnu::retain]] void (*const before_libraries)() = begin;

}  // namespace

// What the link asks for, so that this comes out of the archive.
extern "C" [[gnu::visibility("hidden")]] const char weft_beginning_of_the_program = 0;
