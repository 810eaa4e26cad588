// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dlopen that stops before constructors. The dynamic linker loads, relocates and starts a library
// in one call, and tells nobody in between. But the constructors of an object with DF_1_INITFIRST
// come before those of what it needs. So a library without code is written into memory, which needs
// the one that is wanted and has the node library's function as its constructor.
//
//     dlopen(/proc/self/fd/9)   needs  libwanted.so  needs  libothers.so
//       1st: __weft_loading_begins     3rd              2nd
//
// Rejected: a breakpoint where debuggers have theirs (the linker's code is read-only), LD_AUDIT
// (a second C library in each node).
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

namespace weft {

// How the dynamic linker names objects of that kind, which are nobody's.
constexpr const char* kOpeningName = "libweft-opening.so";
constexpr const char* kOpeningFolder = "/proc/self/./";

struct Opening {
  std::string file;
  int mode = 0;
  const void* caller = nullptr;  // code of the object that calls dlopen, whose run path counts
};
// Loads the file, with all its constructors behind what `before_constructors` does. False if that
// did not come to it: then nothing has been loaded.
[[nodiscard]] bool open_before_constructors(const Opening& opening,
                                            const std::function<void()>& before_constructors);

// Folders where the dynamic linker looks for what the object with this code loads; with colons.
struct RunPath {
  std::string folders;
  bool comes_first = false;  // before LD_LIBRARY_PATH (DT_RPATH)
};
[[nodiscard]] RunPath run_path_of(const void* code);

// `text` with the folder of the object with this code in place of $ORIGIN.
[[nodiscard]] std::string with_origin(std::string text, const void* code);

}  // namespace weft
