// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the program can make tasks at all: whether it, or a library of its own, refers to the
// function that allocates one. If not, no barrier has anything to do with tasks.
#include <elf.h>
#include <link.h>

#include <cstring>
#include <string_view>

#include "openmp/tasking/runtime.hpp"

namespace weft::openmp::tasks {
namespace {

constexpr std::string_view kName = "__kmpc_omp_task_alloc";

struct DynamicSection {
  const char* strings = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  const ElfW(Rela) * relocations[2] = {};
  std::size_t bytes[2] = {};
};

DynamicSection read(const dl_phdr_info& object, const ElfW(Dyn) * entry) {
  DynamicSection section;
  // The dynamic linker has made most addresses absolute, but not those of every object.
  const auto absolute = [&](ElfW(Addr) address) {
    return address < object.dlpi_addr ? address + object.dlpi_addr : address;
  };
  for (; entry->d_tag != DT_NULL; ++entry) {
    const ElfW(Addr) address = absolute(entry->d_un.d_ptr);
    const auto* relocations = reinterpret_cast<const ElfW(Rela)*>(address);
    if (entry->d_tag == DT_STRTAB) section.strings = reinterpret_cast<const char*>(address);
    if (entry->d_tag == DT_SYMTAB) section.symbols = reinterpret_cast<const ElfW(Sym)*>(address);
    if (entry->d_tag == DT_RELA) section.relocations[0] = relocations;
    if (entry->d_tag == DT_JMPREL) section.relocations[1] = relocations;
    if (entry->d_tag == DT_RELASZ) section.bytes[0] = entry->d_un.d_val;
    if (entry->d_tag == DT_PLTRELSZ) section.bytes[1] = entry->d_un.d_val;
  }
  return section;
}

bool refers_to_tasks(const dl_phdr_info& object) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    if (object.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const DynamicSection section = read(
        object, reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr));
    if (section.strings == nullptr || section.symbols == nullptr) return false;
    for (int table = 0; table < 2; ++table) {
      if (section.relocations[table] == nullptr) continue;
      const std::size_t count = section.bytes[table] / sizeof(ElfW(Rela));
      for (std::size_t r = 0; r < count; ++r) {
        const std::size_t symbol = ELF64_R_SYM(section.relocations[table][r].r_info);
        if (symbol == 0) continue;
        if (kName == section.strings + section.symbols[symbol].st_name) return true;
      }
    }
  }
  return false;
}

int visit(dl_phdr_info* object, std::size_t, void* found) {
  const std::string_view name = object->dlpi_name;
  // The kernel's own object; and who defines the function may refer to it too.
  const bool is_runtime = name.find("linux-vdso") != name.npos ||
                          name.find("libomp") != name.npos || name.find("libweft") != name.npos;
  if (is_runtime || !refers_to_tasks(*object)) return 0;
  *static_cast<bool*>(found) = true;
  return 1;
}

}  // namespace

bool program_makes_tasks() {
  static const bool result = [] {
    bool found = false;
    dl_iterate_phdr(visit, &found);
    return found;
  }();
  return result;
}

}  // namespace weft::openmp::tasks
