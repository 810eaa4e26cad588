// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/sizes.hpp"

#include <cctype>
#include <charconv>
#include <string>

namespace weft {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// How many times 1024 the unit stands for.
std::optional<unsigned> power_of(std::string_view unit) {
  std::string letters;
  for (const char each : unit) {
    letters += static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
  }
  if (letters.ends_with('b')) letters.pop_back();
  if (letters.size() == 2 && letters.back() == 'i') letters.pop_back();
  if (letters.empty()) return 0;
  const std::size_t power = std::string_view("kmgtpe").find(letters);
  if (letters.size() != 1 || power == std::string_view::npos) return std::nullopt;
  return static_cast<unsigned>(power) + 1;
}

}  // namespace

std::optional<std::uint64_t> parse_size(std::string_view text) {
  text = trimmed(text);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  const std::optional<unsigned> power = power_of(trimmed(text));
  if (!power || value > (~std::uint64_t{0} >> (10 * *power))) return std::nullopt;
  return value << (10 * *power);
}

}  // namespace weft
