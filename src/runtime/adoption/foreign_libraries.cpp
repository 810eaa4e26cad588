// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/adoption/foreign_libraries.hpp"

#include <fmt/format.h>

#include <set>

#include "libc/allocation/library_allocation.hpp"
#include "runtime/adoption/foreign_constructors.hpp"
#include "runtime/adoption/foreign_loading.hpp"
#include "runtime/libraries/library_kinds.hpp"

namespace weft {
namespace {

// What the library calls in place of a function of the C library; null: that one.
void* replacement(const ForeignLibrary& library, const char* name) {
  if (void* const allocation = libc::shared_allocation(name)) return allocation;
  return library.own_because.empty() ? loading_for_library(name) : nullptr;
}

void bind_calls(const ForeignLibrary& library) {
  for (const ImportedFunction& import : imported_functions(library.object)) {
    if (void* const function = replacement(library, import.name)) {
      write_relocated(library.object, import.place, function);
    }
  }
}

// FNV-1a: two nodes' contents are compared, nobody tries to deceive.
std::uint64_t digest(const DataSegment& data) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte* at = data.begin; at != data.end; ++at) {
    hash = (hash ^ static_cast<std::uint64_t>(*at)) * 0x100000001b3;
  }
  return hash;
}

}  // namespace

void adopt_foreign_libraries(const std::vector<std::uintptr_t>& loaded) {
  static auto* const adopted = new std::set<std::uintptr_t>;
  for (const std::uintptr_t base : loaded) note_loaded_by_program(base);
  for (const ForeignLibrary& library : foreign_libraries()) {
    if (adopted->insert(library.object.base).second) bind_calls(library);
  }
}

std::vector<SharedForeignData> shared_foreign_data(const std::set<std::uintptr_t>& before) {
  std::vector<SharedForeignData> shared;
  for (const auto& [object, own_because] : foreign_libraries()) {
    if (before.contains(object.base)) continue;
    const bool has_started = has_constructors(object) && !has_constructors_put_off(object.base);
    if (object.data.bytes() == 0 || !own_because.empty() || has_started) continue;
    shared.push_back(
        {object.path, object.data,
         fmt::format("{} has data {:016x} at its start", object.path, digest(object.data))});
  }
  return shared;
}

}  // namespace weft
