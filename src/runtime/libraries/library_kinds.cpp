// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/libraries/library_kinds.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string_view>

#include "runtime/libraries/opening.hpp"

namespace weft {
namespace {

using Names = std::set<std::string>;

// The C library and what compilers bring along.
constexpr std::array<std::string_view, 24> kSystem = {
    "libc.so",      "libm.so",     "libmvec.so",   "ld-linux",     "libpthread.so", "libdl.so",
    "librt.so",     "libutil.so",  "libanl.so",    "libresolv.so", "libnsl.so",     "libnss_",
    "libgcc_s.so",  "libstdc++.",  "libc++.so",    "libc++abi.",   "libunwind.so",  "libatomic.so",
    "libgfortran.", "libquadmath", "libflang_rt.", "libclang_rt.", "libweft.so",    kOpeningName};
// Weft's node, and what it is made of: threads of theirs run what they need.
constexpr std::array<std::string_view, 8> kRuntime = {"libweft-node.so", "libomp.so", "libiomp5.so",
                                                      "libgomp.so",      "libucp",    "libuct",
                                                      "libucs",          "libucm"};
// What makes threads. A library that has constructors and calls one of these may call it there.
constexpr std::array<std::string_view, 3> kThreadMakers = {"pthread_create", "thrd_create",
                                                           "_ZNSt6thread15_M_start_thread"};

bool begins_with_one_of(std::span<const std::string_view> prefixes, std::string_view name) {
  return std::ranges::any_of(prefixes,
                             [name](std::string_view prefix) { return name.starts_with(prefix); });
}

// Weft and the system allocate with it from the first moment on, or OpenMP tells it what happens on
// its node.
bool is_called_by_runtime(const LoadedObject& object) {
  return !object.path.empty() && (defines(object, "malloc") || defines(object, "ompt_start_tool"));
}
bool is_of_runtime(const LoadedObject& object) {
  return begins_with_one_of(kRuntime, object.name) || is_called_by_runtime(object);
}
bool is_of_system(const LoadedObject& object) { return begins_with_one_of(kSystem, object.name); }
bool is_of_program(const LoadedObject& object) {
  return object.path.empty() || object.is_linked_by_weftcc;
}

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

std::vector<LoadedObject> find_foreign_libraries(std::vector<LoadedObject> all) {
  const Names of_runtime = needed_by_runtime(all);
  const auto is_excluded = [&](const LoadedObject& object) {
    return is_of_system(object) || of_runtime.contains(object.name);
  };
  Names found;
  for (const LoadedObject& object : all) {
    const bool is_loaded = loaded_by_program().contains(object.base) && !is_excluded(object);
    if (is_loaded) found.insert(object.name);
    if (is_loaded || is_of_program(object)) add_needed(all, object, is_excluded, found);
  }
  std::erase_if(all, [&](const LoadedObject& object) {
    return is_of_program(object) || !found.contains(object.name);
  });
  return all;
}

std::string why_started_on_each_node(const LoadedObject& object) {
  if (has_special_start(object)) return "has a start function of its own (DT_INIT)";
  if (!has_constructors(object)) return {};
  for (const ImportedFunction& import : imported_functions(object)) {
    if (begins_with_one_of(kThreadMakers, import.name)) {
      return "has constructors and can make threads, which stay on a node";
    }
  }
  return {};
}

// What others have done before there is a job, on each node, may have used what they need.
Names needed_at_start(const std::vector<LoadedObject>& all,
                      const std::vector<ForeignLibrary>& foreign) {
  Names found;
  for (const LoadedObject& object : all) {
    if (is_of_program(object) || is_of_system(object)) continue;
    const auto library = std::ranges::find_if(
        foreign, [&](const ForeignLibrary& f) { return f.object.base == object.base; });
    if (library != foreign.end() && library->own_because.empty()) continue;
    add_needed(all, object, is_of_system, found);
  }
  return found;
}

}  // namespace

std::vector<ForeignLibrary> foreign_libraries() {
  const std::vector<LoadedObject> all = loaded_objects();
  std::vector<ForeignLibrary> foreign;
  for (LoadedObject& object : find_foreign_libraries(all)) {
    std::string reason = why_started_on_each_node(object);
    foreign.push_back({std::move(object), std::move(reason)});
  }
  const Names at_start = needed_at_start(all, foreign);
  for (ForeignLibrary& library : foreign) {
    const bool is_needed = at_start.contains(library.object.name);
    if (library.own_because.empty() && is_needed && has_constructors(library.object)) {
      library.own_because = "has constructors and is needed by a library that starts on each node";
    }
  }
  return foreign;
}

void note_loaded_by_program(std::uintptr_t base) { loaded_by_program().insert(base); }

}  // namespace weft
