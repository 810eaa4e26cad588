// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of a script that joins its job by itself (--binding), for hosts that lack them: the
// script, the modules beside it, and the Python package weft. The interpreter and all other
// packages are those of each host.
#pragma once

#include <string>
#include <vector>

namespace weft {

struct ScriptFiles {
  // The interpreter's arguments have the script there; 0: there is none, but -c or -m.
  std::size_t place = 0;
  std::vector<std::string> files;  // absolute, with the script's
  // The folder in which the interpreter finds the package, absolute; empty: it knows none.
  std::string package_parent;
};

// `words`: the interpreter and its arguments. Blocks while the interpreter says where its package
// is.
[[nodiscard]] ScriptFiles files_of_script(const std::string& interpreter,
                                          const std::vector<std::string>& words);

}  // namespace weft
