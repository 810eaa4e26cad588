// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/foreign_libraries.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/assert.hpp"
#include "base/ids.hpp"
#include "libc/library_allocation.hpp"
#include "runtime/loaded_objects.hpp"

namespace weft {
namespace {

using Names = std::set<std::string>;

// The C library and what compilers bring along.
constexpr std::array<std::string_view, 23> kSystem = {
    "libc.so",      "libm.so",     "libmvec.so",   "ld-linux",     "libpthread.so", "libdl.so",
    "librt.so",     "libutil.so",  "libanl.so",    "libresolv.so", "libnsl.so",     "libnss_",
    "libgcc_s.so",  "libstdc++.",  "libc++.so",    "libc++abi.",   "libunwind.so",  "libatomic.so",
    "libgfortran.", "libquadmath", "libflang_rt.", "libclang_rt.", "libweft.so"};
// Weft's node, and what it is made of: threads of theirs run what they need.
constexpr std::array<std::string_view, 8> kRuntime = {"libweft-node.so", "libomp.so", "libiomp5.so",
                                                      "libgomp.so",      "libucp",    "libuct",
                                                      "libucs",          "libucm"};

bool begins_with_one_of(std::span<const std::string_view> prefixes, std::string_view name) {
  return std::ranges::any_of(prefixes,
                             [name](std::string_view prefix) { return name.starts_with(prefix); });
}
bool is_of_runtime(const LoadedObject& object) { return begins_with_one_of(kRuntime, object.name); }
bool is_of_system(const LoadedObject& object) { return begins_with_one_of(kSystem, object.name); }

// Adds what the object needs, but not what lies behind the objects that `stops_at` says.
template <typename Stops>
void add_needed(const std::vector<LoadedObject>& all, const LoadedObject& from, Stops stops_at,
                Names& found) {
  for (const std::string& name : from.needed) {
    const auto needed = std::ranges::find(all, name, &LoadedObject::name);
    if (needed == all.end() || stops_at(*needed) || !found.insert(name).second) continue;
    add_needed(all, *needed, stops_at, found);
  }
}

Names needed_by_runtime(const std::vector<LoadedObject>& all) {
  Names found;
  for (const LoadedObject& object : all) {
    if (!is_of_runtime(object)) continue;
    found.insert(object.name);
    add_needed(all, object, [](const LoadedObject&) { return false; }, found);
  }
  return found;
}

// Loaded by the program itself, on all nodes, whenever that was.
std::set<std::uintptr_t>& loaded_by_program() {
  static auto* const bases = new std::set<std::uintptr_t>;
  return *bases;
}

std::vector<LoadedObject> foreign_libraries() {
  std::vector<LoadedObject> all = loaded_objects();
  const Names of_runtime = needed_by_runtime(all);
  const auto is_excluded = [&](const LoadedObject& object) {
    return is_of_system(object) || of_runtime.contains(object.name);
  };
  Names found;
  for (const LoadedObject& object : all) {
    const bool is_loaded = loaded_by_program().contains(object.base) && !is_excluded(object);
    if (is_loaded) found.insert(object.name);
    if (is_loaded || object.path.empty() || object.is_linked_by_weftcc) {
      add_needed(all, object, is_excluded, found);
    }
  }
  std::erase_if(all, [&](const LoadedObject& object) {
    return object.path.empty() || object.is_linked_by_weftcc || !found.contains(object.name);
  });
  return all;
}

void write_place(const LoadedObject& object, void** place, void* value) {
  const auto page = reinterpret_cast<std::uintptr_t>(place) & ~(kPageBytes - 1);
  const bool is_sealed = page >= object.relro_begin && page < object.relro_end;
  auto* const memory = reinterpret_cast<void*>(page);
  if (is_sealed && mprotect(memory, kPageBytes, PROT_READ | PROT_WRITE) != 0) {
    WEFT_ASSERT(false, "cannot write to the table of functions of {}", object.path);
  }
  *place = value;
  if (is_sealed) mprotect(memory, kPageBytes, PROT_READ);
}

void share_allocations(const LoadedObject& object) {
  for (const ImportedFunction& import : imported_functions(object)) {
    if (void* const shared = libc::shared_allocation(import.name)) {
      write_place(object, import.place, shared);
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
  loaded_by_program().insert(loaded.begin(), loaded.end());
  for (const LoadedObject& object : foreign_libraries()) {
    if (adopted->insert(object.base).second) share_allocations(object);
  }
}

std::vector<SharedForeignData> shared_foreign_data() {
  std::vector<SharedForeignData> shared;
  for (const LoadedObject& object : foreign_libraries()) {
    if (object.data.bytes() == 0 || has_constructors(object)) continue;
    shared.push_back(
        {object.path, object.data,
         fmt::format("{} has data {:016x} at its start", object.path, digest(object.data))});
  }
  return shared;
}

}  // namespace weft
