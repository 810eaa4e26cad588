// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing here may call a function of the C library by its name, nor may the compiler put such a
// call in: it could be the program's. So this file and symbol_table.cpp are compiled with
// -fno-builtin, and have no container.
//
// Rejected: to link with -Bsymbolic, or to call by pointers, which helps neither UCX nor what the
// static libraries inside of Weft's call; a namespace of its own (dlmopen), which has another C
// library with another heap, other streams and other threads.
#include "base/linking/own_calls.hpp"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/ids.hpp"
#include "base/linking/symbol_table.hpp"

namespace weft {
namespace {

// Those in which Weft is; then what comes with UCX. Not what its modules for RDMA bring
// (libibverbs, libnl): a program that uses these has them as its own.
constexpr const char* kWeft[] = {"libweft-node.so", "libweft-binding.so"};
constexpr const char* kTransport[] = {"libucp", "libuct", "libucs", "libucm", "libnuma."};
constexpr const char* kLibrariesOfC[] = {"libc.so",  "libm.so",  "ld-linux",  "libpthread.so",
                                         "libdl.so", "librt.so", "libanl.so", "libresolv.so"};
// A program's own allocator is everybody's.
constexpr const char* kAllocation[] = {
    "malloc",   "calloc",        "realloc",        "reallocarray",       "free",     "cfree",
    "memalign", "aligned_alloc", "posix_memalign", "malloc_usable_size", "valloc",   "pvalloc",
    "mallopt",  "malloc_trim",   "malloc_stats",   "malloc_info",        "mallinfo", "mallinfo2"};

struct Object {
  enum class Kind { kProgram, kWeft, kTransport, kLibraryOfC };
  Kind kind;
  std::uintptr_t base, begin, end;  // all it has in memory
  std::uintptr_t relro_begin, relro_end;
  const ElfW(Dyn) * dynamic;

  [[nodiscard]] bool is_own() const { return kind == Kind::kWeft || kind == Kind::kTransport; }
  [[nodiscard]] bool contains(std::uintptr_t address) const {
    return address >= begin && address < end;
  }
};

// The objects that matter here, in the order in which the linker searches them.
constexpr std::size_t kMost = 64;
struct Objects {
  Object all[kMost];
  std::size_t count;
};

std::uintptr_t page_of(std::uintptr_t address) { return address & ~(kPageBytes - 1); }

bool begins_with(const char* text, const char* prefix) {
  while (*prefix != '\0') {
    if (*text++ != *prefix++) return false;
  }
  return true;
}

template <std::size_t kCount>
bool begins_with_one_of(const char* text, const char* const (&prefixes)[kCount]) {
  for (const char* prefix : prefixes) {
    if (begins_with(text, prefix)) return true;
  }
  return false;
}

bool is_equal(const char* a, const char* b) {
  for (; *a == *b; ++a, ++b) {
    if (*a == '\0') return true;
  }
  return false;
}

bool is_of_allocation(const char* name) {
  for (const char* one : kAllocation) {
    if (is_equal(name, one)) return true;
  }
  return begins_with(name, "_Zn") || begins_with(name, "_Zd");
}

const char* without_folder(const char* path) {
  const char* name = path;
  for (; *path != '\0'; ++path) {
    if (*path == '/') name = path + 1;
  }
  return name;
}

// False: the object is somebody else's. The executable has no name.
bool find_kind(const char* path, Object::Kind& kind) {
  const char* const name = without_folder(path);
  if (*path == '\0') {
    kind = Object::Kind::kProgram;
  } else if (begins_with_one_of(name, kWeft)) {
    kind = Object::Kind::kWeft;
  } else if (begins_with_one_of(name, kTransport)) {
    kind = Object::Kind::kTransport;
  } else if (begins_with_one_of(name, kLibrariesOfC)) {
    kind = Object::Kind::kLibraryOfC;
  } else {
    return false;
  }
  return true;
}

void read_segments(const dl_phdr_info& from, Object& object) {
  object.base = from.dlpi_addr;
  object.begin = ~std::uintptr_t{0};
  object.end = object.relro_begin = object.relro_end = 0;
  object.dynamic = nullptr;
  for (int i = 0; i < from.dlpi_phnum; ++i) {
    const ElfW(Phdr) & header = from.dlpi_phdr[i];
    const std::uintptr_t begin = from.dlpi_addr + header.p_vaddr;
    const std::uintptr_t end = begin + header.p_memsz;
    if (header.p_type == PT_DYNAMIC) object.dynamic = reinterpret_cast<const ElfW(Dyn)*>(begin);
    if (header.p_type == PT_LOAD && begin < object.begin) object.begin = begin;
    if (header.p_type == PT_LOAD && end > object.end) object.end = end;
    if (header.p_type != PT_GNU_RELRO) continue;
    object.relro_begin = page_of(begin);
    object.relro_end = page_of(end);
  }
}

int note_object(dl_phdr_info* from, std::size_t, void* out) {
  auto& objects = *static_cast<Objects*>(out);
  Object& next = objects.all[objects.count];
  if (!find_kind(from->dlpi_name, next.kind)) return 0;
  read_segments(*from, next);
  if (next.dynamic != nullptr) ++objects.count;
  return objects.count == kMost ? 1 : 0;
}

std::uintptr_t address_of(const Object& object, const ElfW(Sym) & symbol) {
  const std::uintptr_t address = object.base + symbol.st_value;
  if (ELF64_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC) return address;
  return reinterpret_cast<std::uintptr_t (*)()>(address)();
}

bool is_function(const ElfW(Sym) * symbol) {
  if (symbol == nullptr) return false;
  const auto type = ELF64_ST_TYPE(symbol->st_info);
  return type == STT_FUNC || type == STT_GNU_IFUNC;
}

// The C library's dl_iterate_phdr, as programs have one of their own, too.
using Iterate = int (*)(int (*)(dl_phdr_info*, std::size_t, void*), void*);
Iterate find_iterate() {
  const HashedName name("dl_iterate_phdr");
  for (const link_map* map = _r_debug.r_map; map != nullptr; map = map->l_next) {
    if (!begins_with(without_folder(map->l_name), "libc.so")) continue;
    const ElfW(Sym)* const symbol = SymbolTable(map->l_ld).definition_of(name);
    if (symbol != nullptr) return reinterpret_cast<Iterate>(map->l_addr + symbol->st_value);
  }
  return dl_iterate_phdr;
}

// What the name is bound to without the program; 0: it is none of the C library's functions.
std::uintptr_t definition_without_program(const Objects& objects, const HashedName& name) {
  std::uintptr_t first = 0;
  for (std::size_t i = 0; i < objects.count; ++i) {
    const Object& object = objects.all[i];
    if (object.kind == Object::Kind::kProgram) continue;
    const ElfW(Sym)* const symbol = SymbolTable(object.dynamic).definition_of(name);
    if (!is_function(symbol)) continue;
    if (first == 0) first = address_of(object, *symbol);
    if (object.kind == Object::Kind::kLibraryOfC) return first;
  }
  return 0;
}

void protect(std::uintptr_t page, long access) {
  long result = SYS_mprotect;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(page), "S"(kPageBytes), "d"(access)
               : "rcx", "r11", "memory");
}

void write(const Object& object, std::uintptr_t* place, std::uintptr_t value) {
  const std::uintptr_t page = page_of(reinterpret_cast<std::uintptr_t>(place));
  const bool is_sealed = page >= object.relro_begin && page < object.relro_end;
  if (is_sealed) protect(page, PROT_READ | PROT_WRITE);
  *place = value;
  if (is_sealed) protect(page, PROT_READ);
}

class Binding {
 public:
  explicit Binding(const Objects& objects)
      : objects_(objects), symbols_of_program_(objects.all[0].dynamic) {}

  void bind_all(const Object& object) {
    const auto of_data = dynamic_value(object.dynamic, DT_RELASZ) / sizeof(ElfW(Rela));
    const auto of_calls = dynamic_value(object.dynamic, DT_PLTRELSZ) / sizeof(ElfW(Rela));
    // Those that name no symbol come first.
    bind(object, DT_RELA, dynamic_value(object.dynamic, DT_RELACOUNT), of_data);
    bind(object, DT_JMPREL, 0, of_calls);
  }
  [[nodiscard]] std::size_t changed() const { return changed_; }

 private:
  void bind(const Object& object, ElfW(Sxword) table, std::size_t first, std::size_t end) {
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

  void bind_place(const Object& object, std::uintptr_t* place, const ElfW(Sym) & symbol,
                  const char* text) {
    // An imported function that has not been called yet is bound to a place in the object's own.
    const bool is_unbound = symbol.st_shndx == SHN_UNDEF && object.contains(*place);
    if (!is_unbound && is_in_library(*place)) return;
    const HashedName name(text);
    if (is_unbound && !is_defined_by_program(name)) return;
    const std::uintptr_t function = definition_without_program(objects_, name);
    if (function == 0 || function == *place || is_of_allocation(text)) return;
    write(object, place, function);
    ++changed_;
  }

  [[nodiscard]] bool is_defined_by_program(const HashedName& name) const {
    return is_function(symbols_of_program_.definition_of(name));
  }

  // Of Weft, UCX or the C library.
  [[nodiscard]] bool is_in_library(std::uintptr_t address) const {
    for (std::size_t i = 1; i < objects_.count; ++i) {
      if (objects_.all[i].contains(address)) return true;
    }
    return false;
  }

  const Objects& objects_;
  SymbolTable symbols_of_program_;
  std::size_t changed_ = 0;
};

// Without one, Weft is in the executable itself: what that defines, it defines for UCX.
bool has_library_of_weft(const Objects& objects) {
  for (std::size_t i = 0; i < objects.count; ++i) {
    if (objects.all[i].kind == Object::Kind::kWeft) return true;
  }
  return false;
}

}  // namespace

std::size_t bind_own_calls() {
  static constinit Objects objects = {};  // called by one thread at a time
  objects.count = 0;
  find_iterate()(note_object, &objects);
  const bool has_program = objects.count != 0 && objects.all[0].kind == Object::Kind::kProgram;
  if (!has_program || !has_library_of_weft(objects)) return 0;
  Binding binding(objects);
  for (std::size_t i = 1; i < objects.count; ++i) {
    if (objects.all[i].is_own()) binding.bind_all(objects.all[i]);
  }
  return binding.changed();
}

}  // namespace weft
