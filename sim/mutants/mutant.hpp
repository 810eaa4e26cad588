// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small change of the protocol's code that can be switched on. pass.cpp writes one of these for
// each into the section "weft_mutants" of what it compiles; places.cpp goes through the section.
#pragma once

#include <cstdint>

namespace weft::mutants {

// The pass builds it by hand: a change here is a change there.
struct Mutant {
  std::uint8_t is_active;
  std::uint8_t was_reached;
  const char* name;  // "file:line:column: kind: source line"
};

}  // namespace weft::mutants
