// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/libraries/loaded_objects.hpp"

#include <elf.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>

#include "base/assert.hpp"
#include "base/ids.hpp"
#include "base/linking/symbol_table.hpp"
#include "runtime/libraries/program_objects.hpp"

namespace weft {
namespace {

std::uintptr_t page_of(std::uintptr_t address) { return address & ~(kPageBytes - 1); }

std::string without_folder(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void read_segments(const dl_phdr_info& from, LoadedObject& object) {
  for (const ElfW(Phdr) & header : std::span(from.dlpi_phdr, from.dlpi_phnum)) {
    const std::uintptr_t begin = from.dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_DYNAMIC) object.dynamic = reinterpret_cast<const ElfW(Dyn)*>(begin);
    if (header.p_type != PT_GNU_RELRO) continue;
    object.relro_begin = page_of(begin);
    object.relro_end = page_of(begin + header.p_memsz);
  }
}

void read_names(LoadedObject& object) {
  const auto* strings = reinterpret_cast<const char*>(dynamic_value(object, DT_STRTAB));
  object.name = without_folder(object.path);
  if (strings == nullptr) return;
  for (const auto* entry = object.dynamic; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_NEEDED) object.needed.emplace_back(strings + entry->d_un.d_val);
    if (entry->d_tag == DT_SONAME) object.name = strings + entry->d_un.d_val;
  }
}

void add_imports(const LoadedObject& object, std::span<const ElfW(Rela)> relocations,
                 std::vector<ImportedFunction>& imports) {
  const SymbolTable symbols(object.dynamic);
  for (const ElfW(Rela) & relocation : relocations) {
    const ElfW(Sym) & symbol = symbols.at(ELF64_R_SYM(relocation.r_info));
    if (!holds_address(relocation) || symbol.st_shndx != SHN_UNDEF) continue;
    imports.push_back(
        {symbols.name_of(symbol), reinterpret_cast<void**>(object.base + relocation.r_offset)});
  }
}

std::span<const ElfW(Rela)> relocations_at(const LoadedObject& object, ElfW(Sxword) table,
                                           ElfW(Sxword) bytes) {
  return {reinterpret_cast<const ElfW(Rela)*>(dynamic_value(object, table)),
          dynamic_value(object, bytes) / sizeof(ElfW(Rela))};
}

}  // namespace

std::vector<LoadedObject> loaded_objects() {
  std::vector<LoadedObject> objects;
  dl_iterate_phdr(
      [](dl_phdr_info* from, std::size_t, void* out) {
        LoadedObject object;
        object.path = from->dlpi_name;
        object.base = from->dlpi_addr;
        read_segments(*from, object);
        if (object.path.starts_with("linux-vdso") || object.dynamic == nullptr) return 0;
        read_names(object);
        object.data = data_segment_of(*from);
        object.is_linked_by_weftcc = is_linked_by_weftcc(*from);
        static_cast<std::vector<LoadedObject>*>(out)->push_back(std::move(object));
        return 0;
      },
      &objects);
  return objects;
}

std::uintptr_t dynamic_value(const LoadedObject& object, ElfW(Sxword) tag) {
  return dynamic_value(object.dynamic, tag);
}

bool defines(const LoadedObject& object, std::string_view name) {
  const HashedName hashed(name.data(), name.size());
  return SymbolTable(object.dynamic).definition_of(hashed) != nullptr;
}

std::span<void*> constructor_list(const LoadedObject& object) {
  const std::uintptr_t begin = dynamic_value(object, DT_INIT_ARRAY);
  if (begin == 0) return {};
  return {reinterpret_cast<void**>(object.base + begin),
          dynamic_value(object, DT_INIT_ARRAYSZ) / sizeof(void*)};
}

bool has_constructors(const LoadedObject& object) { return constructor_list(object).size() > 1; }

bool has_special_start(const LoadedObject& object) {
  const std::uintptr_t start = dynamic_value(object, DT_INIT);
  if (start == 0) return false;
  const auto* code = reinterpret_cast<const unsigned char*>(object.base + start);
  // crti's: if (__gmon_start__ != nullptr) __gmon_start__();
  constexpr std::array<unsigned char, 4> kEndBranch = {0xf3, 0x0f, 0x1e, 0xfa};
  constexpr std::array<unsigned char, 7> kBegin = {0x48, 0x83, 0xec, 0x08, 0x48, 0x8b, 0x05};
  constexpr std::array<unsigned char, 12> kEnd = {0x48, 0x85, 0xc0, 0x74, 0x02, 0xff,
                                                  0xd0, 0x48, 0x83, 0xc4, 0x08, 0xc3};
  if (std::equal(kEndBranch.begin(), kEndBranch.end(), code)) code += kEndBranch.size();
  constexpr std::size_t kAddressBytes = 4;
  return !std::equal(kBegin.begin(), kBegin.end(), code) ||
         !std::equal(kEnd.begin(), kEnd.end(), code + kBegin.size() + kAddressBytes);
}

void write_relocated(const LoadedObject& object, void** place, void* value) {
  const std::uintptr_t page = page_of(reinterpret_cast<std::uintptr_t>(place));
  const bool is_sealed = page >= object.relro_begin && page < object.relro_end;
  auto* const memory = reinterpret_cast<void*>(page);
  if (is_sealed && mprotect(memory, kPageBytes, PROT_READ | PROT_WRITE) != 0) {
    WEFT_ASSERT(false, "cannot write to the relocated data of {}", object.path);
  }
  *place = value;
  if (is_sealed) mprotect(memory, kPageBytes, PROT_READ);
}

std::vector<ImportedFunction> imported_functions(const LoadedObject& object) {
  std::vector<ImportedFunction> imports;
  add_imports(object, relocations_at(object, DT_RELA, DT_RELASZ), imports);
  add_imports(object, relocations_at(object, DT_JMPREL, DT_PLTRELSZ), imports);
  return imports;
}

}  // namespace weft
