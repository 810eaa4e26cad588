// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The objects of the process that matter to who calls whom, in the order in which the dynamic
// linker searches them: the executable, libraries of the program's (which weftcc linked), Weft's,
// UCX's and the C library's. Found without a call of anything that the program could have defined.
#pragma once

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"
#include "base/linking/symbol_table.hpp"

namespace weft {

struct SearchedObject {
  // kProgram: the executable, and libraries of the program's that are searched before Weft's.
  enum class Kind { kProgram, kLibraryOfProgram, kWeft, kTransport, kLibraryOfC };
  Kind kind;
  const char* path;                 // empty: the executable
  std::uintptr_t base, begin, end;  // all it has in memory
  std::uintptr_t relro_begin, relro_end;
  const ElfW(Dyn) * dynamic;

  [[nodiscard]] bool is_own() const { return kind == Kind::kWeft || kind == Kind::kTransport; }
  [[nodiscard]] bool is_programs() const {
    return kind == Kind::kProgram || kind == Kind::kLibraryOfProgram;
  }
  [[nodiscard]] bool contains(std::uintptr_t address) const {
    return address >= begin && address < end;
  }
};

struct SearchedObjects {
  static constexpr std::size_t kMost = 1024;
  SearchedObject all[kMost];
  std::size_t count;

  [[nodiscard]] bool has_weft() const;  // as a library
  // Whether an object of that kind defines a function of that name for others.
  [[nodiscard]] bool defines(SearchedObject::Kind kind, const HashedName& name) const;
};

// One thread at a time. What was found before is found anew.
const SearchedObjects& find_searched_objects();

[[nodiscard]] bool begins_with(const char* text, const char* prefix);
[[nodiscard]] inline std::uintptr_t page_of(std::uintptr_t address) {
  return address & ~(kPageBytes - 1);
}
// A program's own allocator is everybody's.
[[nodiscard]] bool is_of_allocation(const char* name);

[[nodiscard]] inline bool is_function(const ElfW(Sym) * symbol) {
  if (symbol == nullptr) return false;
  const auto type = ELF64_ST_TYPE(symbol->st_info);
  return type == STT_FUNC || type == STT_GNU_IFUNC;
}

}  // namespace weft
