// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One node's part in a load of libraries (runtime/loading/loading.hpp): the dynamic linker's, and
// what has to be known of what came.
#pragma once

#include <string>
#include <vector>

#include "runtime/adoption/foreign_libraries.hpp"
#include "runtime/adoption/starting_libraries.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/loading/loading_messages.hpp"

namespace weft {

struct Loaded {
  void* handle = nullptr;
  std::string failure;               // why there is no handle; empty also if it was only asked for
  std::vector<std::string> objects;  // what must be equal on all nodes, in words
  bool has_weft = false;             // some of them were linked by weftcc
  std::string complaint;             // about one that cannot be
  std::vector<StartingLibrary> libraries;  // whose constructors have not run yet
  std::vector<SharedForeignData> foreign_data;
};

[[nodiscard]] Loaded load_here(const LoadRequest& request);

// The libraries that came become a part of the program, and their data shared.
void adopt(Driver& node, const Loaded& loaded);

}  // namespace weft
