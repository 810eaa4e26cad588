// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program_objects.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <string_view>

namespace weft {
namespace {

constexpr std::size_t kMostObjects = 1024;

// Never destroyed, as threads may ask until the process is gone.
std::array<ProgramObject, kMostObjects>* objects = nullptr;
constinit std::atomic<std::size_t> object_count = 0;

ProgramObject describe(const dl_phdr_info& object) {
  std::uintptr_t begin = UINTPTR_MAX;
  std::uintptr_t end = 0;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr) & header = object.dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    begin = std::min<std::uintptr_t>(begin, header.p_vaddr);
    end = std::max<std::uintptr_t>(end, header.p_vaddr + header.p_memsz);
  }
  return {.path = object.dlpi_name,
          .begin = reinterpret_cast<const std::byte*>(object.dlpi_addr + begin),
          .end = reinterpret_cast<const std::byte*>(object.dlpi_addr + end),
          .data = data_segment_of(object)};
}

bool contains(const ProgramObject& object, const void* address) {
  const auto* byte = static_cast<const std::byte*>(address);
  return byte >= object.begin && byte < object.end;
}

struct Search {
  const void* address;
  ProgramObject found;
};

}  // namespace

std::string find_executable(ProgramObject& executable) {
  bool is_fixed = false;
  struct Result {
    ProgramObject* object;
    bool* is_fixed;
  } result{&executable, &is_fixed};
  // The first object that is reported is the executable.
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* out) {
        auto* r = static_cast<Result*>(out);
        *r->object = describe(*object);
        *r->is_fixed = object->dlpi_addr == 0;
        return 1;
      },
      &result);
  return is_fixed ? "" : "the program is position-independent; link it with weftcc, without -pie";
}

ProgramObject object_at(const void* address) {
  Search search{address, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* out) {
        auto* s = static_cast<Search*>(out);
        ProgramObject candidate = describe(*object);
        if (!contains(candidate, s->address)) return 0;
        s->found = std::move(candidate);
        return 1;
      },
      &search);
  return std::move(search.found);
}

bool is_linked_by_weftcc(const dl_phdr_info& object) {
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    if (object.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    dynamic = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
  }
  const char* strings = nullptr;
  for (const auto* entry = dynamic; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  }
  for (const auto* entry = dynamic; strings != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag != DT_NEEDED) continue;
    if (std::string_view(strings + entry->d_un.d_val) == "libweft.so") return true;
  }
  return false;
}

bool add_program_object(ProgramObject object) {
  if (objects == nullptr) objects = new std::array<ProgramObject, kMostObjects>;
  const std::size_t count = object_count.load(std::memory_order_relaxed);
  if (count == kMostObjects) return false;
  (*objects)[count] = std::move(object);
  object_count.store(count + 1, std::memory_order_release);
  return true;
}

std::span<const ProgramObject> program_objects() {
  const std::size_t count = object_count.load(std::memory_order_acquire);
  return count == 0 ? std::span<const ProgramObject>() : std::span(objects->data(), count);
}

bool is_in_program(const void* address) {
  return std::ranges::any_of(program_objects(), [address](const ProgramObject& object) {
    return contains(object, address);
  });
}

}  // namespace weft
