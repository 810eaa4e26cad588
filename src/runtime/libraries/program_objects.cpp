// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/libraries/program_objects.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <span>
#include <string_view>

#include "base/compiler_abi.h"
#include "base/thread_local_abi.h"

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

// Of the type that weftcc leaves in every object that it compiles, or in every one that it links
// and finds to be in order; linkers keep them all.
bool is_note_of_weft(std::span<const std::byte> note, unsigned type) {
  ElfW(Nhdr) header;
  if (note.size() < sizeof header + sizeof(WEFT_NOTE_OWNER)) return false;
  std::memcpy(&header, note.data(), sizeof header);
  return header.n_type == type && header.n_namesz == sizeof(WEFT_NOTE_OWNER) &&
         std::memcmp(&note[sizeof header], WEFT_NOTE_OWNER, sizeof(WEFT_NOTE_OWNER)) == 0;
}

bool has_note(const dl_phdr_info& object, const ElfW(Phdr) & segment, unsigned type) {
  const auto* begin = reinterpret_cast<const std::byte*>(object.dlpi_addr + segment.p_vaddr);
  std::span<const std::byte> rest(begin, segment.p_memsz);
  // Names and descriptions are padded to the alignment of the segment.
  const std::size_t align = segment.p_align == 8 ? 8 : 4;
  const auto padded = [align](std::size_t bytes) { return (bytes + align - 1) / align * align; };
  ElfW(Nhdr) header;
  while (rest.size() >= sizeof header) {
    if (is_note_of_weft(rest, type)) return true;
    std::memcpy(&header, rest.data(), sizeof header);
    const std::size_t bytes = padded(sizeof header + header.n_namesz) + padded(header.n_descsz);
    rest = rest.subspan(std::min(bytes, rest.size()));
  }
  return false;
}

bool has_note(const dl_phdr_info& object, unsigned type) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr) & segment = object.dlpi_phdr[i];
    if (segment.p_type == PT_NOTE && has_note(object, segment, type)) return true;
  }
  return false;
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

bool thread_locals_follow(const dl_phdr_info& object) {
  return has_note(object, WEFT_THREAD_LOCALS_NOTE_TYPE);
}

std::string complaint_about(const dl_phdr_info& object) {
  const bool is_executable = object.dlpi_name[0] == '\0';
  if (is_executable || !has_note(object, WEFT_NOTE_TYPE) || is_linked_by_weftcc(object)) return {};
  return std::string(object.dlpi_name) +
         " was compiled by weftcc, but linked by another command, so its data cannot be shared. "
         "Link it with weftcc -shared, or compile it without weftcc if each node is to have its "
         "own";
}

std::string complaint_about_libraries() {
  std::string complaint;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* out) {
        auto* found = static_cast<std::string*>(out);
        *found = complaint_about(*object);
        return found->empty() ? 0 : 1;
      },
      &complaint);
  return complaint;
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
