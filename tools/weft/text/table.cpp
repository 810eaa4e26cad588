// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/text/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace weft {

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::vector<std::string> Table::lines() const {
  std::vector<std::string> headings;
  for (const Column& each : columns_) headings.push_back(each.heading);
  std::vector<std::size_t> widths(columns_.size(), 0);
  const auto widen = [&widths](const std::vector<std::string>& cells) {
    for (std::size_t at = 0; at < cells.size(); ++at) {
      widths[at] = std::max(widths[at], width_of(cells[at]));
    }
  };
  widen(headings);
  for (const auto& row : rows_) widen(row);
  std::vector<std::string> all = {line(headings, widths)};
  for (const auto& row : rows_) all.push_back(line(row, widths));
  return all;
}

std::string Table::line(const std::vector<std::string>& cells,
                        const std::vector<std::size_t>& widths) const {
  std::string text;
  for (std::size_t at = 0; at < cells.size(); ++at) {
    const std::string room(widths[at] - width_of(cells[at]), ' ');
    if (at > 0) text += "  ";
    text += columns_[at].side == Side::kRight ? room + cells[at] : cells[at] + room;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char each) { return (static_cast<unsigned char>(each) & 0xc0) != 0x80; }));
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1023.95 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string count_text(double count) {
  constexpr std::array kUnits = {"k", "M", "G", "T", "P"};
  if (count < 999.5) return fmt::format("{:.0f}", count);
  std::size_t unit = 0;
  for (count /= 1000; count >= 999.95 && unit + 1 < kUnits.size(); ++unit) count /= 1000;
  return fmt::format("{:.1f}{}", count, kUnits[unit]);
}

std::string printable(std::string_view text) {
  std::string result(text);
  std::ranges::replace_if(
      result, [](char each) { return static_cast<unsigned char>(each) < 0x20 || each == 0x7f; },
      '?');
  return result;
}

std::string command_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& each : words) {
    const bool is_plain =
        !each.empty() && each.find_first_of(" \t\n\"'\\$`*?[]{}()<>|&;#~!") == std::string::npos;
    if (!text.empty()) text += ' ';
    if (is_plain) {
      text += each;
      continue;
    }
    text += '\'';
    for (const char letter : each) {
      text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    }
    text += '\'';
  }
  return text;
}

}  // namespace weft
