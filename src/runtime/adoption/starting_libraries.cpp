// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of constructors (DT_INIT_ARRAY) is memory that the dynamic linker reads entry by entry,
// after relocation read-only: the entries are overwritten with a function that does nothing. Taking
// constructors out when the library is linked was rejected: their sections belong to the compilers,
// and on one node they must run as ever.
#include "runtime/adoption/starting_libraries.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "base/assert.hpp"
#include "base/compiler_abi.h"
#include "base/ids.hpp"
#include "runtime/interface/node.hpp"

namespace weft {
namespace {

// Called before this library's own constructors have run: nothing here needs one.
std::vector<StartingLibrary>* at_start = nullptr;
constinit bool program_has_started = false;
constinit thread_local std::vector<StartingLibrary>* expected = nullptr;
constinit int argument_count = 0;
constinit char** arguments = nullptr;

std::vector<StartingLibrary>& list_at_start() {
  if (at_start == nullptr) at_start = new std::vector<StartingLibrary>;
  return *at_start;
}

std::span<Constructor> constructors_of(const dl_phdr_info& object) {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    if (object.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entry =
        reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_INIT_ARRAY) begin = object.dlpi_addr + entry->d_un.d_ptr;
      if (entry->d_tag == DT_INIT_ARRAYSZ) bytes = entry->d_un.d_val;
    }
  }
  return {reinterpret_cast<Constructor*>(begin), begin == 0 ? 0 : bytes / sizeof(Constructor)};
}

void do_nothing(int, char**, char**) {}

std::vector<Constructor> take_out(std::span<Constructor> list) {
  std::vector<Constructor> taken(list.begin(), list.end());
  const auto first = reinterpret_cast<std::uintptr_t>(list.data()) & ~(kPageBytes - 1);
  const auto bytes = reinterpret_cast<std::uintptr_t>(list.data() + list.size()) - first;
  auto* const pages = reinterpret_cast<void*>(first);
  if (mprotect(pages, bytes, PROT_READ | PROT_WRITE) != 0) return {};
  std::ranges::fill(list, do_nothing);
  mprotect(pages, bytes, PROT_READ);
  return taken;
}

// The constructors behind the one of `inside`, which is running.
std::vector<Constructor> put_off_constructors(const void* inside) {
  struct Search {
    const void* inside;
    std::span<Constructor> later;
  } search{inside, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* out) {
        auto* s = static_cast<Search*>(out);
        const std::span<Constructor> all = constructors_of(*object);
        const auto mine = std::ranges::find(
            all, reinterpret_cast<Constructor>(reinterpret_cast<std::uintptr_t>(s->inside)));
        if (mine == all.end()) return 0;
        s->later = {mine + 1, all.end()};
        return 1;
      },
      &search);
  if (search.later.empty()) return {};
  std::vector<Constructor> taken = take_out(search.later);
  WEFT_ASSERT(!taken.empty(), "cannot write to a library's list of constructors");
  return taken;
}

}  // namespace

const std::vector<StartingLibrary>& libraries_at_start() {
  program_has_started = true;
  return list_at_start();
}

std::vector<ProgramObject> objects_at_start() {
  std::vector<ProgramObject> objects;
  for (const StartingLibrary& library : libraries_at_start()) {
    if (!library.is_foreign) objects.push_back(library.object);
  }
  return objects;
}

void expect_libraries(std::vector<StartingLibrary>* list) { expected = list; }

void note_starting(StartingLibrary library) {
  (expected != nullptr ? *expected : list_at_start()).push_back(std::move(library));
}

void set_program_arguments(int argc, char** argv) {
  argument_count = argc;
  arguments = argv;
}

void run_constructors(const std::vector<StartingLibrary>& libraries) {
  for (const StartingLibrary& library : libraries) {
    for (const Constructor constructor : library.constructors) {
      constructor(argument_count, arguments, environ);
    }
  }
}

}  // namespace weft

extern "C" [[gnu::visibility("default")]] void __weft_library_begins(const void* inside) {
  std::vector<weft::StartingLibrary>* list = weft::expected;
  if (weft::program_has_started && list == nullptr) {
    if (weft::this_node() == nullptr) return;  // no job, or a forked process: as any library
    weft::this_node()->fail(fmt::format(
        "{}, which was linked by weftcc, is loaded by a library that was not: its data cannot be "
        "shared. Let the program load it (dlopen), link the program with it, or link it with clang",
        weft::object_at(inside).path));
  }
  weft::note_starting(
      {.object = weft::object_at(inside), .constructors = weft::put_off_constructors(inside)});
}
