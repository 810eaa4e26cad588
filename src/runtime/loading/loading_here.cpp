// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/loading/loading_here.hpp"

#include <dlfcn.h>
#include <link.h>

#include <set>
#include <string_view>

#include "runtime/adoption/foreign_constructors.hpp"
#include "runtime/libraries/executable.hpp"
#include "runtime/libraries/library_kinds.hpp"
#include "runtime/libraries/opening.hpp"
#include "runtime/libraries/program_objects.hpp"
#include "runtime/loading/loading_window.hpp"

namespace weft {
namespace {

using Bases = std::set<std::uintptr_t>;

Bases bases_of_objects() {
  Bases bases;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* out) {
        static_cast<Bases*>(out)->insert(object->dlpi_addr);
        return 0;
      },
      &bases);
  return bases;
}

std::uintptr_t base_of(void* handle) {
  link_map* map = nullptr;
  dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map));
  return map == nullptr ? 0 : map->l_addr;
}

bool is_opening(const dl_phdr_info& object) {
  return std::string_view(object.dlpi_name).starts_with(kOpeningFolder);
}

// The object of the handle, and what else was not there before.
void describe_objects(Loaded& loaded, const Bases& before) {
  struct Search {
    const Bases& before;
    std::uintptr_t own;
    Loaded& loaded;
  } search{before, base_of(loaded.handle), loaded};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* out) {
        auto* s = static_cast<Search*>(out);
        const bool is_new = !s->before.contains(object->dlpi_addr) && !is_opening(*object);
        if (object->dlpi_addr == s->own || is_new) {
          s->loaded.objects.push_back(fingerprint_of(*object));
          s->loaded.has_weft |= is_linked_by_weftcc(*object);
          if (s->loaded.complaint.empty()) s->loaded.complaint = complaint_about(*object);
        }
        return 0;
      },
      &search);
}

// The one that is wanted comes first.
void note_wanted_library(const Bases& before) {
  for (const LoadedObject& object : loaded_objects()) {
    if (before.contains(object.base) || object.name == kOpeningName) continue;
    return note_loaded_by_program(object.base);
  }
}

// Puts the constructors off of foreign libraries that come. Where that cannot be, nothing happens
// here, and they run on each node. RTLD_DEEPBIND would bind even their constructor.
void open_without_constructors(const LoadRequest& request, const Bases& before) {
  constexpr int kNoOpening = RTLD_NOLOAD | RTLD_DEEPBIND;
  if (!request.has_file || (request.mode & kNoOpening) != 0) return;
  if (request.open(request.file.c_str(), RTLD_LAZY | RTLD_NOLOAD) != nullptr) return;
  const Opening opening{.file = request.file,
                        .mode = request.mode,
                        .caller = reinterpret_cast<const void*>(request.open)};
  (void)open_before_constructors(opening, [&] {
    note_wanted_library(before);
    put_off_foreign_constructors(before);
  });
}

void open_here(const LoadRequest& request, const Bases& before, Loaded& loaded) {
  const LoadingWindow window(request.window);
  open_without_constructors(request, before);
  const char* file = request.has_file ? request.file.c_str() : nullptr;
  loaded.handle = request.open(file, request.mode | RTLD_NODELETE);
  const char* why = loaded.handle == nullptr ? dlerror() : nullptr;
  if (why != nullptr) loaded.failure = why;
}

void attach(Driver& node, const std::string& path, const DataSegment& data) {
  if (data.bytes() == 0) return;
  const Status attached = node.attach({.name = "data of " + path,
                                       .address = ProgramAddress::of(data.begin),
                                       .bytes = data.bytes(),
                                       .contents = SegmentSpec::Contents::kTakeOver});
  if (!attached) node.fail(attached.error());
}

}  // namespace

Loaded load_here(const LoadRequest& request) {
  Loaded loaded;
  const Bases before = bases_of_objects();
  expect_libraries(&loaded.libraries);
  open_here(request, before, loaded);
  expect_libraries(nullptr);
  if (loaded.handle == nullptr) return loaded;
  describe_objects(loaded, before);
  adopt_foreign_libraries({base_of(loaded.handle)});
  loaded.foreign_data = shared_foreign_data(before);
  for (const SharedForeignData& library : loaded.foreign_data) {
    loaded.objects.push_back(library.fingerprint);
  }
  return loaded;
}

void adopt(Driver& node, const Loaded& loaded) {
  for (const StartingLibrary& library : loaded.libraries) {
    if (library.is_foreign) continue;
    if (!add_program_object(library.object)) node.fail("the program loads too many libraries");
    attach(node, library.object.path, library.object.data);
  }
  for (const SharedForeignData& library : loaded.foreign_data) {
    attach(node, library.path, library.data);
  }
}

}  // namespace weft
