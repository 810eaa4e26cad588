// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of variables, for sentences about addresses.
#pragma once

#include <cstdint>
#include <string>

namespace weft {

// The variable of an executable (linked at fixed addresses, with its symbol table) in which this
// address lies, as "name + 8"; empty if there is none.
[[nodiscard]] std::string variable_at(const std::string& executable, std::uintptr_t address);

}  // namespace weft
