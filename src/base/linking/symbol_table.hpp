// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The symbols that a loaded object shows to others, read without a call of any other function: also
// before constructors have run, when dlopen and dlsym would run them, and where such a call might
// arrive at the program (own_calls.hpp).
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

#if !defined(__x86_64__)
#error "Name the relocations by which this processor's code calls other objects."
#endif

namespace weft {

// A name as symbol tables look it up: with the hash that the linker stored (DT_GNU_HASH).
struct HashedName {
  HashedName(const char* text, std::size_t length);
  explicit HashedName(const char* text);
  const char* text;
  std::size_t length;
  std::uint32_t hash;
};

class SymbolTable {
 public:
  explicit SymbolTable(const ElfW(Dyn) * dynamic);

  // Defined there for others, with the version that a link of today would bind to; null: it is not.
  [[nodiscard]] const ElfW(Sym) * definition_of(const HashedName& name) const;
  // All that is defined there for others has a number from `first_definition` on, below this one.
  [[nodiscard]] std::size_t first_definition() const { return first_symbol_; }
  [[nodiscard]] std::size_t end_of_definitions() const;
  // Of the object's own tables, what a relocation refers to.
  [[nodiscard]] const ElfW(Sym) & at(std::size_t index) const { return symbols_[index]; }
  [[nodiscard]] const char* name_of(const ElfW(Sym) & symbol) const {
    return strings_ + symbol.st_name;
  }

 private:
  [[nodiscard]] bool may_define(std::uint32_t hash) const;
  [[nodiscard]] bool is_definition(std::size_t index, const HashedName& name) const;

  const ElfW(Sym) * symbols_;
  const char* strings_;
  const ElfW(Versym) * versions_;
  // DT_GNU_HASH: four words of head, a filter, the first symbol of each bucket, and the hashes of
  // all that are in buckets. The last of a bucket has its lowest bit set.
  std::uint32_t bucket_count_ = 0, first_symbol_ = 0, filter_words_ = 0, filter_shift_ = 0;
  const ElfW(Addr) * filter_ = nullptr;
  const std::uint32_t* buckets_ = nullptr;
  const std::uint32_t* hashes_ = nullptr;
};

// Whether the linker puts the address of a symbol there, by which the object's code calls it.
[[nodiscard]] inline bool holds_address(const ElfW(Rela) & relocation) {
  const auto type = ELF64_R_TYPE(relocation.r_info);
  return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT ||
         (type == R_X86_64_64 && relocation.r_addend == 0);
}

// The value of an entry of a dynamic section; 0 if there is none. Addresses of tables of symbols
// and relocations are ready to be used.
[[nodiscard]] std::uintptr_t dynamic_value(const ElfW(Dyn) * dynamic, ElfW(Sxword) tag);

}  // namespace weft
