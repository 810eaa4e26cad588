// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/mutants/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>

// The linker names the section's ends.
extern "C" weft::mutants::Mutant __start_weft_mutants, __stop_weft_mutants;

namespace weft::mutants {
namespace {

constexpr std::size_t kVerdicts = 7;
constexpr std::array<const char*, kVerdicts> kTitles = {
    "scenario", "unit test", "seed", "crash", "hang", "alive", "unreached"};
using Counts = std::array<std::size_t, kVerdicts + 1>;  // the last: alive or unreached, explained

void print_row(const std::string& title, const Counts& counts) {
  fmt::print("{:44}", title);
  for (const std::size_t count : counts) fmt::print("{:>10}", count);
  fmt::print("\n");
}

bool lives(Verdict verdict) {
  return verdict == Verdict::kSurvived || verdict == Verdict::kNotReached;
}

}  // namespace

bool Place::was_reached() const {
  return std::ranges::any_of(mutants, [](const Mutant* each) { return each->was_reached != 0; });
}

void Place::activate() const {
  for (Mutant* const each : mutants) each->is_active = 1;
}

std::string Place::key() const {
  const std::size_t line = name.find(':');
  const std::size_t column = name.find(':', line + 1);
  return name.substr(0, line) + name.substr(name.find(':', column + 1));
}

std::vector<Place> all_places() {
  std::map<std::string, std::vector<Mutant*>> by_name;
  for (Mutant* each = &__start_weft_mutants; each != &__stop_weft_mutants; ++each) {
    by_name[each->name].push_back(each);
  }
  std::vector<Place> places;
  for (auto& [name, mutants] : by_name) places.push_back({name, std::move(mutants)});
  return places;
}

std::map<std::string, std::string> read_explained(const std::string& path) {
  std::map<std::string, std::string> explained;
  std::ifstream file(path);
  std::vector<std::string> keys;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with("#")) continue;
    if (!line.starts_with("  ")) {
      keys.push_back(line);
      continue;
    }
    for (const std::string& key : keys) explained[key] = line.substr(2);
    keys.clear();
  }
  if (!keys.empty()) throw std::runtime_error(path + ": no reason is given for: " + keys.front());
  return explained;
}

double print_table(const std::vector<Judged>& judged,
                   const std::map<std::string, std::string>& explained) {
  std::map<std::string, Counts> by_file;
  Counts all{};
  std::vector<const Judged*> unexplained;
  for (const Judged& each : judged) {
    std::size_t column = static_cast<std::size_t>(each.verdict);
    if (lives(each.verdict)) {
      explained.contains(each.place->key()) ? void(column = kVerdicts)
                                            : unexplained.push_back(&each);
    }
    ++by_file[each.place->file()][column];
    ++all[column];
  }
  fmt::print("{:44}", "mutants found by");
  for (const char* title : kTitles) fmt::print("{:>10}", title);
  fmt::print("{:>10}\n", "explained");
  for (const auto& [file, counts] : by_file) print_row(file, counts);
  print_row("all", all);
  for (const Judged* each : unexplained) {
    fmt::print("{}: {}\n", each->verdict == Verdict::kSurvived ? "alive" : "unreached",
               each->place->name);
  }
  const double percent = judged.empty() ? 0 : 100.0 * unexplained.size() / judged.size();
  fmt::print("{} mutants, {} neither found nor explained ({:.1f} %)\n", judged.size(),
             unexplained.size(), percent);
  return percent;
}

}  // namespace weft::mutants
