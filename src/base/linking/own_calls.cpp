// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing here may call a function of the C library by its name, nor may the compiler put such a
// call in: it could be the program's. So this file and those that it includes are compiled with
// -fno-builtin, and have no container.
//
// Rejected: to link with -Bsymbolic, or to call by pointers, which helps neither UCX nor what the
// static libraries inside of Weft's call; a namespace of its own (dlmopen), which has another C
// library with another heap, other streams and other threads.
#include "base/linking/own_calls.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/linking/bare_calls.hpp"
#include "base/linking/searched_objects.hpp"

namespace weft {
namespace {

using Kind = SearchedObject::Kind;

std::uintptr_t address_of(const SearchedObject& object, const ElfW(Sym) & symbol) {
  const std::uintptr_t address = object.base + symbol.st_value;
  if (ELF64_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC) return address;
  return reinterpret_cast<std::uintptr_t (*)()>(address)();
}

// What the name is bound to without the program; 0: it is none of the C library's functions.
std::uintptr_t definition_without_program(const SearchedObjects& objects, const HashedName& name) {
  std::uintptr_t first = 0;
  for (std::size_t i = 0; i < objects.count; ++i) {
    const SearchedObject& object = objects.all[i];
    if (object.is_programs()) continue;
    const ElfW(Sym)* const symbol = SymbolTable(object.dynamic).definition_of(name);
    if (!is_function(symbol)) continue;
    if (first == 0) first = address_of(object, *symbol);
    if (object.kind == Kind::kLibraryOfC) return first;
  }
  return 0;
}

void protect(std::uintptr_t page, long access) {
  call_system(SYS_mprotect, static_cast<long>(page), kPageBytes, access);
}

void write(const SearchedObject& object, std::uintptr_t* place, std::uintptr_t value) {
  const std::uintptr_t page = page_of(reinterpret_cast<std::uintptr_t>(place));
  const bool is_sealed = page >= object.relro_begin && page < object.relro_end;
  if (is_sealed) protect(page, PROT_READ | PROT_WRITE);
  *place = value;
  if (is_sealed) protect(page, PROT_READ);
}

class Binding {
 public:
  explicit Binding(const SearchedObjects& objects) : objects_(objects) {}

  void bind_all(const SearchedObject& object) {
    const auto of_data = dynamic_value(object.dynamic, DT_RELASZ) / sizeof(ElfW(Rela));
    const auto of_calls = dynamic_value(object.dynamic, DT_PLTRELSZ) / sizeof(ElfW(Rela));
    // Those that name no symbol come first.
    bind(object, DT_RELA, dynamic_value(object.dynamic, DT_RELACOUNT), of_data);
    bind(object, DT_JMPREL, 0, of_calls);
  }
  [[nodiscard]] std::size_t changed() const { return changed_; }

 private:
  void bind(const SearchedObject& object, ElfW(Sxword) table, std::size_t first, std::size_t end) {
    const auto* relocations =
        reinterpret_cast<const ElfW(Rela)*>(dynamic_value(object.dynamic, table));
    const SymbolTable symbols(object.dynamic);
    for (std::size_t i = first; i < end; ++i) {
      const auto index = ELF64_R_SYM(relocations[i].r_info);
      if (!holds_address(relocations[i]) || index == 0) continue;
      bind_place(object, reinterpret_cast<std::uintptr_t*>(object.base + relocations[i].r_offset),
                 symbols.at(index), symbols.name_of(symbols.at(index)));
    }
  }

  void bind_place(const SearchedObject& object, std::uintptr_t* place, const ElfW(Sym) & symbol,
                  const char* text) {
    // An imported function that has not been called yet is bound to a place in the object's own.
    const bool is_unbound = symbol.st_shndx == SHN_UNDEF && object.contains(*place);
    if (!is_unbound && is_in_library(*place)) return;
    const HashedName name(text);
    if (is_unbound && !objects_.defines(Kind::kProgram, name)) return;
    const std::uintptr_t function = definition_without_program(objects_, name);
    if (function == 0 || function == *place || is_of_allocation(text)) return;
    write(object, place, function);
    ++changed_;
  }

  // Of Weft, UCX or the C library.
  [[nodiscard]] bool is_in_library(std::uintptr_t address) const {
    for (std::size_t i = 1; i < objects_.count; ++i) {
      const SearchedObject& object = objects_.all[i];
      if (!object.is_programs() && object.contains(address)) return true;
    }
    return false;
  }

  const SearchedObjects& objects_;
  std::size_t changed_ = 0;
};

}  // namespace

std::size_t bind_own_calls() {
  const SearchedObjects& objects = find_searched_objects();
  const bool has_program = objects.count != 0 && objects.all[0].kind == Kind::kProgram;
  // Without a library, Weft is in the executable itself: what that defines, it defines for UCX.
  if (!has_program || !objects.has_weft()) return 0;
  Binding binding(objects);
  for (std::size_t i = 1; i < objects.count; ++i) {
    if (objects.all[i].is_own()) binding.bind_all(objects.all[i]);
  }
  return binding.changed();
}

}  // namespace weft
