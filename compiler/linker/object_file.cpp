// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/linker/object_file.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/thread_local_abi.h"
#include "compiler/library_thread_locals.hpp"

namespace weft::linker {
namespace {

// Of clang and flang, and of gcc. The functions that users call (omp_*) are not among them: a call
// of omp_get_wtime is right whoever compiled it.
constexpr std::array<std::string_view, 2> kPrefixes = {"__kmpc_", "GOMP_"};
constexpr std::string_view kMarkSection = ".note.weft";
constexpr std::string_view kMarkInBitcode = "__weft_note";  // compiler/pass/modules/note.cpp
constexpr std::string_view kBitcode = "BC\xC0\xDE";

template <typename T>
bool read(std::string_view contents, std::size_t offset, T& value) {
  if (offset > contents.size() || contents.size() - offset < sizeof value) return false;
  std::memcpy(&value, contents.data() + offset, sizeof value);
  return true;
}

std::string_view part(std::string_view contents, std::size_t offset, std::size_t bytes) {
  return offset > contents.size() ? std::string_view() : contents.substr(offset, bytes);
}

std::string_view name_at(std::string_view strings, std::size_t offset) {
  const std::string_view rest = part(strings, offset, std::string_view::npos);
  return rest.substr(0, rest.find('\0'));
}

std::vector<Elf64_Shdr> sections_of(std::string_view contents, const Elf64_Ehdr& header) {
  std::vector<Elf64_Shdr> sections;
  Elf64_Shdr section;
  std::size_t count = header.e_shnum;
  // An object of more than 65279 sections, as -ffunction-sections can make, counts them here.
  if (count == 0 && read(contents, header.e_shoff, section)) count = section.sh_size;
  for (std::size_t i = 0; i < count; ++i) {
    if (!read(contents, header.e_shoff + i * sizeof section, section)) break;
    sections.push_back(section);
  }
  return sections;
}

bool is_openmp(std::string_view name) {
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [name](std::string_view prefix) { return name.starts_with(prefix); });
}

void add_thread_local(ObjectFile& object, const Elf64_Sym& symbol, std::string_view name) {
  if (symbol.st_shndx == SHN_UNDEF && is_thread_local_of_libraries(name)) return;
  object.uses_thread_locals = true;
  if (symbol.st_shndx == SHN_UNDEF) object.needed_thread_locals.push_back(name);
}

void add_symbol(ObjectFile& object, const Elf64_Sym& symbol, std::string_view name) {
  const unsigned binding = ELF64_ST_BIND(symbol.st_info);
  object.adds_shift |= name == WEFT_ADDS_SHIFT_SYMBOL;
  if (ELF64_ST_TYPE(symbol.st_info) == STT_TLS) add_thread_local(object, symbol, name);
  if (name.empty() || binding == STB_LOCAL) return;
  if (symbol.st_shndx != SHN_UNDEF) return object.defines.push_back(name);
  if (object.openmp_symbol.empty() && is_openmp(name)) object.openmp_symbol = name;
  if (binding != STB_WEAK) object.needs.push_back(name);
}

void add_symbols(ObjectFile& object, std::string_view symbols, std::string_view strings) {
  Elf64_Sym symbol;
  for (std::size_t at = 0; read(symbols, at, symbol); at += sizeof symbol) {
    add_symbol(object, symbol, name_at(strings, symbol.st_name));
  }
}

ObjectFile read_elf(std::string_view contents) {
  Elf64_Ehdr header;
  ObjectFile object;
  if (!read(contents, 0, header) || header.e_machine != EM_X86_64) return object;
  if (header.e_type == ET_REL) object.kind = ObjectFile::Kind::kRelocatable;
  if (header.e_type == ET_DYN) object.kind = ObjectFile::Kind::kShared;
  const bool is_shared = object.kind == ObjectFile::Kind::kShared;
  const std::vector<Elf64_Shdr> sections = sections_of(contents, header);
  const auto bytes_of = [&](std::size_t index) {
    if (index >= sections.size()) return std::string_view();
    return part(contents, sections[index].sh_offset, sections[index].sh_size);
  };
  const std::size_t names =
      header.e_shstrndx != SHN_XINDEX || sections.empty() ? header.e_shstrndx : sections[0].sh_link;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    object.marked |= name_at(bytes_of(names), sections[i].sh_name) == kMarkSection;
    object.uses_thread_locals |= (sections[i].sh_flags & SHF_TLS) != 0 && sections[i].sh_size > 0;
    if (sections[i].sh_type != (is_shared ? SHT_DYNSYM : SHT_SYMTAB)) continue;
    add_symbols(object, bytes_of(i), bytes_of(sections[i].sh_link));
  }
  return object;
}

// A bitcode file's symbol names lie in it one behind the other.
ObjectFile read_bitcode(std::string_view contents) {
  ObjectFile object;
  object.kind = ObjectFile::Kind::kBitcode;
  object.marked = contents.find(kMarkInBitcode) != std::string_view::npos;
  for (const std::string_view prefix : kPrefixes) {
    if (contents.find(prefix) != std::string_view::npos) object.openmp_symbol = prefix;
  }
  return object;
}

}  // namespace

ObjectFile read_object(std::string_view contents) {
  if (contents.starts_with(kBitcode)) return read_bitcode(contents);
  if (contents.starts_with(ELFMAG) && contents.size() > EI_CLASS &&
      contents[EI_CLASS] == ELFCLASS64) {
    return read_elf(contents);
  }
  return {};
}

bool may_use_openmp(std::string_view contents) {
  return std::any_of(kPrefixes.begin(), kPrefixes.end(), [contents](std::string_view prefix) {
    return memmem(contents.data(), contents.size(), prefix.data(), prefix.size()) != nullptr;
  });
}

}  // namespace weft::linker
