// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No call of the C library by its name: see own_calls.cpp.
#include "base/linking/searched_objects.hpp"

#include "base/compiler_abi.h"

namespace weft {
namespace {

using Kind = SearchedObject::Kind;

// Those in which Weft is; then what comes with UCX. Not what its modules for RDMA bring
// (libibverbs, libnl): a program that uses these has them as its own.
constexpr const char* kWeft[] = {"libweft-node.so", "libweft-binding.so"};
constexpr const char* kTransport[] = {"libucp", "libuct", "libucs", "libucm", "libnuma."};
constexpr const char* kLibrariesOfC[] = {"libc.so",  "libm.so",  "ld-linux",  "libpthread.so",
                                         "libdl.so", "librt.so", "libanl.so", "libresolv.so"};
constexpr const char* kAllocation[] = {
    "malloc",   "calloc",        "realloc",        "reallocarray",       "free",     "cfree",
    "memalign", "aligned_alloc", "posix_memalign", "malloc_usable_size", "valloc",   "pvalloc",
    "mallopt",  "malloc_trim",   "malloc_stats",   "malloc_info",        "mallinfo", "mallinfo2"};

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

const char* without_folder(const char* path) {
  const char* name = path;
  for (; *path != '\0'; ++path) {
    if (*path == '/') name = path + 1;
  }
  return name;
}

// The note of weftcc's (compiler/pass/modules/note.cpp).
bool has_note(const dl_phdr_info& object) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr) & header = object.dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    const std::uintptr_t begin = object.dlpi_addr + header.p_vaddr, end = begin + header.p_memsz;
    for (std::uintptr_t at = begin; at + sizeof(ElfW(Nhdr)) <= end;) {
      const auto& note = *reinterpret_cast<const ElfW(Nhdr)*>(at);
      const auto* const owner = reinterpret_cast<const char*>(at + sizeof note);
      if (note.n_type == WEFT_NOTE_TYPE && note.n_namesz == sizeof WEFT_NOTE_OWNER &&
          is_equal(owner, WEFT_NOTE_OWNER)) {
        return true;
      }
      const auto padded = [](std::uintptr_t size) { return (size + 3) & ~std::uintptr_t{3}; };
      at += sizeof note + padded(note.n_namesz) + padded(note.n_descsz);
    }
  }
  return false;
}

// False: the object is somebody else's. The executable has no name.
bool find_kind(const dl_phdr_info& from, const SearchedObjects& before, Kind& kind) {
  const char* const name = without_folder(from.dlpi_name);
  if (*from.dlpi_name == '\0') {
    kind = Kind::kProgram;
  } else if (begins_with_one_of(name, kWeft)) {
    kind = Kind::kWeft;
  } else if (begins_with_one_of(name, kTransport)) {
    kind = Kind::kTransport;
  } else if (begins_with_one_of(name, kLibrariesOfC)) {
    kind = Kind::kLibraryOfC;
  } else if (has_note(from)) {
    kind = before.has_weft() ? Kind::kLibraryOfProgram : Kind::kProgram;
  } else {
    return false;
  }
  return true;
}

void read_segments(const dl_phdr_info& from, SearchedObject& object) {
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
  auto& objects = *static_cast<SearchedObjects*>(out);
  SearchedObject& next = objects.all[objects.count];
  if (!find_kind(*from, objects, next.kind)) return 0;
  next.path = from->dlpi_name;
  read_segments(*from, next);
  if (next.dynamic != nullptr) ++objects.count;
  return objects.count == SearchedObjects::kMost ? 1 : 0;
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

}  // namespace

bool begins_with(const char* text, const char* prefix) {
  while (*prefix != '\0') {
    if (*text++ != *prefix++) return false;
  }
  return true;
}

bool is_of_allocation(const char* name) {
  for (const char* one : kAllocation) {
    if (is_equal(name, one)) return true;
  }
  return begins_with(name, "_Zn") || begins_with(name, "_Zd");
}

bool SearchedObjects::has_weft() const {
  for (std::size_t i = 0; i < count; ++i) {
    if (all[i].kind == Kind::kWeft) return true;
  }
  return false;
}

bool SearchedObjects::defines(Kind kind, const HashedName& name) const {
  for (std::size_t i = 0; i < count; ++i) {
    if (all[i].kind == kind && is_function(SymbolTable(all[i].dynamic).definition_of(name)))
      return true;
  }
  return false;
}

const SearchedObjects& find_searched_objects() {
  static constinit SearchedObjects objects = {};
  objects.count = 0;
  find_iterate()(note_object, &objects);
  return objects;
}

}  // namespace weft
