// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nodes say to each other when one of them loads a library (runtime/loading/loading.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/codec.hpp"
#include "base/compiler_abi.h"

namespace weft {

// One call of dlopen, as nodes tell each other.
struct LoadRequest {
  std::uint64_t waiter = 0;  // the asker's own name for it
  std::uint64_t handle = 0;  // what the program calls the library: node 0's own handle
  unsigned window = 0;
  weft_dlopen_from open = nullptr;
  bool has_file = false;
  std::string file;
  int mode = 0;
  std::vector<std::string> objects;  // fingerprints of what was loaded
  WEFT_FIELDS(self.waiter, self.handle, self.window, self.open, self.has_file, self.file, self.mode,
              self.objects)
};

struct LoadAnswer {
  std::uint64_t waiter = 0;
  std::uint64_t handle = 0;    // what the node itself calls the library
  std::string complaint = {};  // why it cannot load it; empty if it has
  WEFT_FIELDS(self.waiter, self.handle, self.complaint)
};

}  // namespace weft
