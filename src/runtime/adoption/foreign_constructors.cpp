// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/adoption/foreign_constructors.hpp"

#include <array>
#include <utility>
#include <vector>

#include "base/compiler_abi.h"
#include "base/linking/own_calls.hpp"
#include "base/linking/wrapping_libraries.hpp"
#include "runtime/adoption/starting_libraries.hpp"
#include "runtime/libraries/library_kinds.hpp"

namespace weft {
namespace {

// Further ones start as ever, on each node.
constexpr std::size_t kMost = 512;

struct PutOff {
  std::uintptr_t base;
  StartingLibrary library;
};
// Never destroyed, and made before this library's own constructors have run.
std::vector<PutOff>& put_off() {
  static auto* const libraries = new std::vector<PutOff>;
  return *libraries;
}

void do_nothing(int, char**, char**) {}

// What stands first in the list of the library of this number.
template <std::size_t kNumber>
void begin_library(int, char**, char**) {
  note_starting(std::move(put_off()[kNumber].library));
}

template <std::size_t... kNumbers>
constexpr std::array<Constructor, sizeof...(kNumbers)> beginnings(
    std::index_sequence<kNumbers...>) {
  return {begin_library<kNumbers>...};
}
constexpr std::array<Constructor, kMost> kBeginnings =
    beginnings(std::make_index_sequence<kMost>());

void put_off_constructors(const LoadedObject& object) {
  StartingLibrary library{
      .object = object_at(object.dynamic), .constructors = {}, .is_foreign = true};
  Constructor next = kBeginnings[put_off().size()];
  for (void*& entry : constructor_list(object)) {
    library.constructors.push_back(reinterpret_cast<Constructor>(entry));
    write_relocated(object, &entry, reinterpret_cast<void*>(std::exchange(next, do_nothing)));
  }
  put_off().push_back({object.base, std::move(library)});
}

}  // namespace

void put_off_foreign_constructors(const std::set<std::uintptr_t>& started) {
  for (const auto& [object, own_because] : foreign_libraries()) {
    // Also a list of one, which is the start files' as a rule, and does nothing.
    const bool starts = !constructor_list(object).empty() && !started.contains(object.base);
    if (own_because.empty() && starts && put_off().size() < kMost) put_off_constructors(object);
  }
}

bool has_constructors_put_off(std::uintptr_t base) {
  for (const PutOff& library : put_off()) {
    if (library.base == base) return true;
  }
  return false;
}

}  // namespace weft

extern "C" [[gnu::visibility("default")]] void __weft_program_begins() {
  // First of all: what follows calls the C library.
  weft::put_wrapping_libraries_first();
  weft::bind_own_calls();
  weft::put_off_foreign_constructors({});
}
