// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of variables, for sentences about addresses.
#pragma once

#include <cstdint>
#include <string>

namespace weft {

// The variable of an executable or a library in which this address lies, as the file has addresses,
// as "name + 8"; empty if there is none, or its symbol table was stripped.
[[nodiscard]] std::string variable_at(const std::string& path, std::uintptr_t address);

}  // namespace weft
