// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include "sim/coverage.hpp"
#include "sim/failure.hpp"

#ifdef WEFT_DELIBERATE_BUGS

namespace weft::sim {
namespace {

std::vector<std::string> names_in(const std::string& pattern) {
  std::vector<std::string> names;
  std::istringstream stream(pattern);
  for (std::string name; std::getline(stream, name, '|');) names.push_back(name);
  return names;
}

bool fits(const std::vector<std::string>& names, std::string_view name) {
  return names == std::vector<std::string>{"*"} || std::ranges::find(names, name) != names.end();
}

constexpr std::array<std::string_view, 3> kKinds = {"state", "policy", "pair"};

std::string text_of(const CoverageEntry& entry) {
  return fmt::format("{} {} {}", kKinds[static_cast<std::size_t>(entry.kind)], entry.one,
                     entry.other);
}

}  // namespace

bool CoverageHoles::Line::matches(const CoverageEntry& entry) const {
  if (kind != entry.kind) return false;
  if (kind == CoverageEntry::Kind::kPair && entry.one == entry.other) {
    return one == other && one == std::vector<std::string>{std::string(entry.one)};
  }
  if (fits(one, entry.one) && fits(other, entry.other)) return true;
  return kind == CoverageEntry::Kind::kPair && fits(one, entry.other) && fits(other, entry.one);
}

CoverageHoles::Line CoverageHoles::line_of(const std::string& text) {
  std::istringstream words(text);
  std::string verb, kind, one, other, why;
  words >> verb >> kind >> one >> other >> why;
  const auto* const known = std::ranges::find(kKinds, kind);
  const bool is_right =
      (verb == "cannot" || verb == "rare" || verb == "open") && known != kKinds.end();
  SIM_CHECK(is_right && !why.empty(), "this line of the holes is not understood: {}", text);
  return {verb == "cannot", static_cast<CoverageEntry::Kind>(known - kKinds.begin()), names_in(one),
          names_in(other), text};
}

CoverageHoles CoverageHoles::read(const std::string& path) {
  std::ifstream file(path);
  SIM_CHECK(file.good(), "cannot read {}", path);
  CoverageHoles holes;
  for (std::string text; std::getline(file, text);) {
    if (!text.empty() && text.front() != '#') holes.lines_.push_back(line_of(text));
  }
  return holes;
}

std::vector<std::string> CoverageHoles::compare(const std::vector<CoverageEntry>& entries) const {
  std::vector<std::string> wrong;
  std::vector<bool> used(lines_.size());
  for (const CoverageEntry& entry : entries) {
    bool is_told = false;
    for (std::size_t index = 0; index < lines_.size(); ++index) {
      if (!lines_[index].matches(entry)) continue;
      is_told = used[index] = true;
      if (entry.count == 0 || !lines_[index].cannot) continue;
      wrong.push_back(fmt::format("{} was reached {} times, and a line says: {}", text_of(entry),
                                  entry.count, lines_[index].text));
    }
    if (entry.count == 0 && !is_told) wrong.push_back("never reached: " + text_of(entry));
  }
  for (std::size_t index = 0; index < lines_.size(); ++index) {
    if (!used[index]) wrong.push_back("a line about nothing: " + lines_[index].text);
  }
  return wrong;
}

}  // namespace weft::sim

#endif
