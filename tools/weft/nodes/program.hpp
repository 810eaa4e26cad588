// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program of a job: where it is, and whether it can be a node.
#pragma once

#include <string>

#include "base/result.hpp"

namespace weft {

// The file that a shell would start for `name`: looked up in the colon-separated `path` unless the
// name has a slash. Fails with a sentence if there is none or it may not be executed.
Result<std::string> find_program(const std::string& name, const std::string& path);

// What keeps the file from being a node of a job: a sentence, or nothing. It must be an ELF
// executable of this architecture that is linked with libweft.so, as weftcc does.
[[nodiscard]] std::string why_not_a_node(const std::string& file);
// What keeps a file that can be a node from being one of several.
[[nodiscard]] std::string why_not_several(const std::string& file);

// Absolute path of the library that belongs to this command: libweft-node.so, or
// libweft-binding.so.
inline constexpr const char* kNodeLibrary = "libweft-node.so";
inline constexpr const char* kBindingLibrary = "libweft-binding.so";
[[nodiscard]] Result<std::string> library_beside_command(const char* name);
// The absolute path of such a library; fails with a sentence if it cannot be read.
[[nodiscard]] Result<std::string> readable_library(const std::string& file);

}  // namespace weft
