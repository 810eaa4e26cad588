// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/mutants/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

// The linker names the section's ends.
extern "C" weft::mutants::Mutant __start_weft_mutants, __stop_weft_mutants;

namespace weft::mutants {
namespace {

unsigned number(const std::string& text) {
  unsigned value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Place place_of(const std::string& name) {
  const std::size_t line = name.find(':') + 1;
  const std::size_t column = name.find(':', line) + 1;
  const std::size_t what = name.find(':', column) + 2;
  Place place;
  place.file = name.substr(0, line - 1);
  place.line = number(name.substr(line));
  place.column = number(name.substr(column));
  place.what = name.substr(what);
  return place;
}

void give_keys(std::vector<Place>& places) {
  std::map<std::string, unsigned> taken;
  for (Place& place : places) {
    const std::string plain = place.file + ": " + place.what;
    const unsigned times = ++taken[plain];
    place.key = times == 1 ? plain : fmt::format("{} #{}", plain, times);
  }
}

}  // namespace

bool Place::was_reached() const {
  return std::ranges::any_of(mutants, [](const Mutant* each) { return each->was_reached != 0; });
}

void Place::forget_reached() const {
  for (Mutant* const each : mutants) each->was_reached = 0;
}

void Place::activate() const {
  for (Mutant* const each : mutants) each->is_active = 1;
}

std::vector<Place> all_places() {
  std::map<std::string, std::vector<Mutant*>> by_name;
  for (Mutant* each = &__start_weft_mutants; each != &__stop_weft_mutants; ++each) {
    by_name[each->name].push_back(each);
  }
  std::vector<Place> places;
  for (auto& [name, mutants] : by_name) {
    places.push_back(place_of(name));
    places.back().mutants = std::move(mutants);
  }
  std::ranges::sort(places, {}, [](const Place& place) {
    return std::tie(place.file, place.line, place.column, place.what);
  });
  give_keys(places);
  return places;
}

}  // namespace weft::mutants
