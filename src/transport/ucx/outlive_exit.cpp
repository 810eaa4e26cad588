// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node leaves its job when all destructors have run, the program's libraries' included: they may
// still touch shared memory. UCX's own are among those that exit() runs before, and take down what
// its workers need (the table of event handlers, so that the next progress call ends the process
// with "failed to modify event handler: No such element").
//
// The dynamic loader reads from an object's dynamic section how many destructors it has; here that
// number becomes zero. Rejected: to leave the job in a destructor of this library, which comes
// before UCX's but also before those of libraries that Weft does not know; to interpose the
// functions that UCX's destructors call, which are many and differ between versions.
#include "transport/ucx/outlive_exit.hpp"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string_view>

namespace weft {
namespace {

bool is_of_ucx(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const char* prefix : {"libucs", "libuct", "libucp", "libucm"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

// The dynamic section is read-only once the object has been relocated.
void set_number(ElfW(Dyn) & entry, std::size_t value) {
  const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(&entry) & ~(page_bytes - 1);
  const auto end = reinterpret_cast<std::uintptr_t>(&entry + 1);
  if (mprotect(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE) != 0) return;
  entry.d_un.d_val = value;
}

int forget_destructors(dl_phdr_info* object, std::size_t, void*) {
  if (!is_of_ucx(object->dlpi_name)) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) & header = object->dlpi_phdr[i];
    if (header.p_type != PT_DYNAMIC) continue;
    auto* entry = reinterpret_cast<ElfW(Dyn)*>(object->dlpi_addr + header.p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_FINI_ARRAYSZ) set_number(*entry, 0);
    }
  }
  return 0;
}

}  // namespace

void let_ucx_outlive_exit() { dl_iterate_phdr(forget_destructors, nullptr); }

}  // namespace weft
