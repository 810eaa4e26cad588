// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/libraries/symbols.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <optional>
#include <vector>

namespace weft {
namespace {

template <typename T>
std::vector<T> read_table(std::ifstream& file, std::uint64_t offset, std::uint64_t count) {
  std::vector<T> table(count);
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char*>(table.data()), static_cast<std::streamsize>(count * sizeof(T)));
  if (!file) table.clear();
  return table;
}

bool holds(const Elf64_Sym& symbol, std::uintptr_t address) {
  return ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_value <= address &&
         address - symbol.st_value < symbol.st_size;
}

std::string name_in(std::ifstream& file, const Elf64_Shdr& strings, const Elf64_Sym& symbol) {
  std::string name;
  file.seekg(static_cast<std::streamoff>(strings.sh_offset + symbol.st_name));
  std::getline(file, name, '\0');
  return name;
}

}  // namespace

std::string variable_at(const std::string& path, std::uintptr_t address) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<Elf64_Ehdr> header = read_table<Elf64_Ehdr>(file, 0, 1);
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0) return {};
  const std::vector<Elf64_Shdr> sections =
      read_table<Elf64_Shdr>(file, header[0].e_shoff, header[0].e_shnum);
  for (const Elf64_Shdr& section : sections) {
    const bool has_names = section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM;
    if (!has_names || section.sh_link >= sections.size()) continue;
    for (const Elf64_Sym& symbol :
         read_table<Elf64_Sym>(file, section.sh_offset, section.sh_size / sizeof(Elf64_Sym))) {
      if (!holds(symbol, address)) continue;
      const std::string name = name_in(file, sections[section.sh_link], symbol);
      return fmt::format("{} + {}", name, address - symbol.st_value);
    }
  }
  return {};
}

}  // namespace weft
