// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/mutants/table.hpp"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <stdexcept>

namespace weft::mutants {
namespace {

// Columns after those of the stages.
enum Column : std::size_t { kExplained = kStages.size(), kAlive, kUnreached, kColumns };
using Counts = std::array<std::size_t, kColumns>;

std::size_t column_of(const Judged& each, const Explained& explained) {
  if (each.verdict.found_by) return static_cast<std::size_t>(*each.verdict.found_by);
  if (explained.contains(each.place->key)) return kExplained;
  return each.verdict.was_reached ? kAlive : kUnreached;
}

void print_row(const std::string& title, const Counts& counts) {
  std::size_t all = 0;
  for (const std::size_t count : counts) all += count;
  fmt::print("{:40}{:>8}", title, all);
  for (const std::size_t count : counts) fmt::print("{:>10}", count);
  fmt::print("\n");
}

void print_head() {
  fmt::print("{:40}{:>8}", "", "mutants");
  for (const char* stage : kStages) fmt::print("{:>10}", stage);
  fmt::print("{:>10}{:>10}{:>10}\n", "explained", "alive", "unreached");
}

}  // namespace

Explained read_explained(const std::string& path) {
  Explained explained;
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

double print_table(const std::vector<Judged>& judged, const Explained& explained) {
  std::map<std::string, Counts> by_file;
  Counts all{};
  print_head();
  for (const Judged& each : judged) {
    const std::size_t column = column_of(each, explained);
    ++by_file[each.place->file][column];
    ++all[column];
  }
  for (const auto& [file, counts] : by_file) print_row(file, counts);
  print_row("all", all);
  for (const Judged& each : judged) {
    if (column_of(each, explained) <= kExplained) continue;
    fmt::print("{}: {} ({}:{})\n", each.verdict.text, each.place->key, each.place->line,
               each.place->column);
  }
  const std::size_t open = all[kAlive] + all[kUnreached];
  const double percent = judged.empty() ? 0 : 100.0 * open / judged.size();
  fmt::print("{} mutants, {} neither found nor explained ({:.1f} %)\n", judged.size(), open,
             percent);
  return percent;
}

std::size_t print_unexpected(const std::vector<Judged>& judged, const Explained& explained,
                             const Verdicts& late) {
  std::size_t count = 0;
  for (const Judged& each : judged) {
    if (column_of(each, explained) <= kExplained || late.contains(each.place->key)) continue;
    fmt::print("nothing notices this any more, or it is new: {}\n", each.place->key);
    ++count;
  }
  return count;
}

}  // namespace weft::mutants
