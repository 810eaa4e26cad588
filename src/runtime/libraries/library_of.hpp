// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <dlfcn.h>
#include <link.h>

namespace weft {

// The library that an address belongs to; null: none. Takes no lock of the dynamic linker's, as
// dladdr does. So any thread may ask, also under the node's lock.
[[nodiscard]] inline const link_map* library_of(const void* address) {
  dl_find_object found = {};
  return _dl_find_object(const_cast<void*>(address), &found) == 0 ? found.dlfo_link_map : nullptr;
}

}  // namespace weft
