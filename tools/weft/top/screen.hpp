// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole terminal, for a page of lines that is drawn anew now and then. While this lives, keys
// come one by one and are not shown; afterwards the terminal is as it was before.
//
// Plain control sequences, which all terminals of today have (ECMA-48, and xterm's second screen).
// Rejected: ncurses and FTXUI. They find out what has changed on the screen, and know windows,
// colours and mice; here a page is a few lines that all change. Each is a library more to install.
#pragma once

#include <termios.h>

#include <cstddef>
#include <string>
#include <vector>

namespace weft {

class Screen {
 public:
  // Standard output is a terminal.
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // Gives the terminal back, as for a process that stops, and takes it again.
  void leave();
  void enter();

  // The lines from `first` on, as far as there is room; the last line tells how many are left out.
  // Returns how many lines of the page are shown.
  std::size_t draw(const std::vector<std::string>& lines, std::size_t first) const;

 private:
  termios before_ = {};
  bool has_keys_ = false;  // standard input is the terminal
  bool is_taken_ = false;
};

// The text's beginning, no wider than so many places of a screen.
[[nodiscard]] std::string cut_to(const std::string& text, std::size_t width);

}  // namespace weft
