// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/testing/shared_program_data.hpp"

#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/addresses.hpp"
#include "runtime/addresses/thread_places.hpp"
#include "runtime/interface/shared_memory.hpp"
#include "runtime/libraries/program_objects.hpp"

namespace weft {
namespace {

std::byte *data_begin = nullptr, *data_end = nullptr;
std::byte* initial_data = nullptr;
std::uintptr_t program_begin = 0, program_end = 0;

}  // namespace

void* map_shared(std::uintptr_t where, std::size_t bytes) {
  void* memory = mmap(reinterpret_cast<void*>(where), bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  return memory;
}

void share_program_data() {
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void*) {
        std::uintptr_t begin = 0, end = 0, relro_end = 0;
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& header = object->dlpi_phdr[i];
          const std::uintptr_t first = object->dlpi_addr + header.p_vaddr;
          if (header.p_type == PT_GNU_RELRO) relro_end = first + header.p_memsz;
          if (header.p_type != PT_LOAD) continue;
          program_begin = program_begin == 0 ? first : std::min(program_begin, first);
          program_end = std::max(program_end, first + header.p_memsz);
          if ((header.p_flags & PF_W) == 0) continue;
          begin = begin == 0 ? first : std::min(begin, first);
          end = std::max(end, first + header.p_memsz);
        }
        begin = (std::max(begin, relro_end) + kPageBytes - 1) & ~(kPageBytes - 1);
        end = (end + kPageBytes - 1) & ~(kPageBytes - 1);
        data_begin = reinterpret_cast<std::byte*>(begin);
        data_end = reinterpret_cast<std::byte*>(end);
        return 1;
      },
      nullptr);
  const auto size = static_cast<std::size_t>(data_end - data_begin);
  if (data_begin >= data_end) return;
  initial_data = static_cast<std::byte*>(std::malloc(size));
  std::memcpy(initial_data, data_begin, size);
  if (mmap(data_begin, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1,
           0) != data_begin) {
    std::abort();
  }
  std::memcpy(data_begin, initial_data, size);
}

bool is_program_data(const void* address) {
  const auto* byte = static_cast<const std::byte*>(address);
  return byte >= data_begin && byte < data_end;
}

// Threads are where the C library puts them, and their variables stay with them.
std::optional<NodeId> owner_of_place(const void*) { return std::nullopt; }
bool thread_locals_follow(const dl_phdr_info&) { return false; }

bool is_in_program(const void* address) {
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  return value >= program_begin && value < program_end;
}

std::span<const ProgramObject> program_objects() { return {}; }

const void* initial_contents_of(const void* address) {
  const auto* byte = static_cast<const std::byte*>(address);
  return is_program_data(address) ? initial_data + (byte - data_begin) : address;
}

}  // namespace weft
