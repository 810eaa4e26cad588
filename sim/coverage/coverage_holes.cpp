// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include "sim/checkers/failure.hpp"
#include "sim/coverage/coverage.hpp"

#ifdef WEFT_DELIBERATE_BUGS

namespace weft::sim {
namespace {

using Names = std::vector<std::string>;
using Kind = CoverageEntry::Kind;

Names names_in(const std::string& pattern) {
  Names names;
  std::istringstream stream(pattern);
  for (std::string name; std::getline(stream, name, '|');) names.push_back(name);
  return names;
}

bool fits(const Names& names, std::string_view name) {
  return names == Names{"*"} || std::ranges::find(names, name) != names.end();
}

// "12/100000": so often, in so many seeds.
bool is_frequency(const std::string& word, bool was_found) {
  std::istringstream stream(word);
  std::uint64_t times = 0, seeds = 0;
  char slash = 0;
  return stream >> times >> slash >> seeds && slash == '/' && (times > 0) == was_found &&
         seeds > 0 && stream.eof();
}

}  // namespace

bool CoverageHoles::Line::matches(const CoverageEntry& entry) const {
  if (kind != entry.kind) return false;
  if (kind == Kind::kPair && entry.one == entry.other) {
    return one == other && one == Names{std::string(entry.one)};
  }
  if (fits(one, entry.one) && fits(other, entry.other)) return true;
  return kind == Kind::kPair && fits(one, entry.other) && fits(other, entry.one);
}

bool CoverageHoles::Line::names_one_entry() const {
  return one.size() == 1 && other.size() == 1 && one.front() != "*" && other.front() != "*";
}

CoverageHoles::Line CoverageHoles::line_of(const std::string& text) {
  std::istringstream words(text);
  std::string verb, kind, one, other, frequency, why;
  words >> verb >> kind >> one >> other;
  const auto* const known = std::ranges::find(kCoverageKinds, kind);
  Line line{verb == "cannot", static_cast<Kind>(known - kCoverageKinds.begin()), names_in(one),
            names_in(other), text};
  const bool is_rare = (verb == "rare" || verb == "open") && line.names_one_entry() &&
                       words >> frequency && is_frequency(frequency, verb == "rare");
  const bool is_right = (line.cannot || is_rare) && known != kCoverageKinds.end() && words >> why;
  SIM_CHECK(is_right, "this line of the holes is not understood: {}", text);
  return line;
}

void CoverageHoles::add_line(const std::string& text) { lines_.push_back(line_of(text)); }

CoverageHoles CoverageHoles::read(const std::string& path) {
  std::ifstream file(path);
  SIM_CHECK(file.good(), "cannot read {}", path);
  CoverageHoles holes;
  for (std::string text; std::getline(file, text);) {
    if (!text.empty() && text.front() != '#') holes.add_line(text);
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
      wrong.push_back(fmt::format("{} was reached {} times, and a line says: {}", name_of(entry),
                                  entry.count, lines_[index].text));
    }
    if (entry.count == 0 && !is_told) wrong.push_back("never reached: " + name_of(entry));
  }
  for (std::size_t index = 0; index < lines_.size(); ++index) {
    if (!used[index]) wrong.push_back("a line about nothing: " + lines_[index].text);
  }
  return wrong;
}

}  // namespace weft::sim

#endif
