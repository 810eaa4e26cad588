// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text for people: tables in columns, and amounts with few digits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

class Table {
 public:
  // Numbers stand at the right of their column, words at the left.
  enum class Side { kLeft, kRight };
  struct Column {
    std::string heading;
    Side side = Side::kLeft;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // A cell for each column; those that are missing at the end are empty.
  void add(std::vector<std::string> cells);
  // The headings, and a line for each row, without spaces at the ends of lines.
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  [[nodiscard]] std::string line(const std::vector<std::string>& cells,
                                 const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// How many places the text takes on a screen: characters of UTF-8, not bytes.
[[nodiscard]] std::size_t width_of(std::string_view text);

// "17 B", "4.0 KiB", "1.2 GiB".
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);
// "950", "12.3k", "4.5M", "7.0G": powers of 1000.
[[nodiscard]] std::string count_text(double count);

// The text without characters that would disturb a terminal: control characters become "?".
[[nodiscard]] std::string printable(std::string_view text);
// A command line that a shell takes for the same words.
[[nodiscard]] std::string command_text(const std::vector<std::string>& words);

}  // namespace weft
