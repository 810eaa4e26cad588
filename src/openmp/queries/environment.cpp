// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/queries/environment.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

namespace weft::openmp {
namespace {

// A word, and how much of it is enough.
struct Word {
  std::string_view whole;
  std::size_t least;
};

constexpr std::array<Word, 7> kYes = {
    {{"true", 1}, {"on", 2}, {"1", 1}, {".true.", 2}, {".t.", 2}, {"yes", 1}, {"enabled", 7}}};
constexpr std::array<Word, 7> kNo = {
    {{"false", 1}, {"off", 2}, {"0", 1}, {".false.", 2}, {".f.", 2}, {"no", 1}, {"disabled", 8}}};

bool is_among(std::string_view text, const std::array<Word, 7>& words) {
  return std::ranges::any_of(words, [&](const Word& word) {
    return text.size() >= word.least && word.whole.starts_with(text);
  });
}

}  // namespace

bool logical_variable(const char* name, bool otherwise) {
  const char* const value = std::getenv(name);
  if (value == nullptr) return otherwise;
  std::string text(value);
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (is_among(text, kYes)) return true;
  if (is_among(text, kNo)) return false;
  return otherwise;
}

}  // namespace weft::openmp
