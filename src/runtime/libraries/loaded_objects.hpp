// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The executable and the shared libraries of this process, as far as it takes to decide whose they
// are: which needs which, what runs at their start, and where they call others.
#pragma once

#include <link.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/libraries/executable.hpp"

namespace weft {

struct LoadedObject {
  std::string path;                 // empty: the executable
  std::string name;                 // as others name it, libz.so.1
  std::vector<std::string> needed;  // by name
  std::uintptr_t base = 0;          // added to all addresses in the file
  const ElfW(Dyn) * dynamic = nullptr;
  // Read-only since it was relocated, in whole pages.
  std::uintptr_t relro_begin = 0, relro_end = 0;
  DataSegment data;
  bool is_linked_by_weftcc = false;
};

// In the order of symbol search; without the kernel's own.
[[nodiscard]] std::vector<LoadedObject> loaded_objects();

// The value of an entry of the dynamic section; 0 if there is none. Addresses of tables of symbols
// and relocations are ready to be used, those of constructors count from the object's base.
[[nodiscard]] std::uintptr_t dynamic_value(const LoadedObject& object, ElfW(Sxword) tag);

// Its list of constructors, DT_INIT_ARRAY.
[[nodiscard]] std::span<void*> constructor_list(const LoadedObject& object);

// Whether it has a constructor of its own; the compiler's start files bring one that does nothing.
[[nodiscard]] bool has_constructors(const LoadedObject& object);

// Whether it has a start function of another kind (DT_INIT) than compilers' start files bring.
[[nodiscard]] bool has_special_start(const LoadedObject& object);

// Writes to what may be read-only since it was relocated. Ends the process if that fails.
void write_relocated(const LoadedObject& object, void** place, void* value);

// Whether others find this symbol in it. Not by dlopen and dlsym: before constructors have run,
// these run them.
[[nodiscard]] bool defines(const LoadedObject& object, std::string_view name);

// A place that holds the address of a function of another object.
struct ImportedFunction {
  const char* name;
  void** place;
};
[[nodiscard]] std::vector<ImportedFunction> imported_functions(const LoadedObject& object);

}  // namespace weft
