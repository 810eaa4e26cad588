// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a linker's command line reads: objects, archives and libraries, in its order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::linker {

// One object, or one member of an archive.
struct Input {
  std::string name;  // "a.o", or "libb.a(a.o)"
  std::string_view contents;
  // The linker takes it if somebody needs one of its symbols; all others it takes anyway.
  bool is_optional = false;
};

struct InputFile {
  std::string path;
  std::string_view contents;  // mapped for as long as the process lives
  bool is_whole = false;      // --whole-archive
};

struct LinkCommand {
  std::vector<InputFile> files;
  std::vector<std::string_view> needed;  // by --undefined
};

// Files that are not there or cannot be read are left out: the linker will say so.
[[nodiscard]] LinkCommand read_command(const std::vector<std::string>& arguments);

// The file itself, or an archive's members.
[[nodiscard]] std::vector<Input> inputs_of(const InputFile& file);

}  // namespace weft::linker
