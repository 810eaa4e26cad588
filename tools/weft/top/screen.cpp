// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/top/screen.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

namespace weft {
namespace {

constexpr std::string_view kSecondScreen = "\x1b[?1049h", kFirstScreen = "\x1b[?1049l";
constexpr std::string_view kHideCursor = "\x1b[?25l", kShowCursor = "\x1b[?25h";
constexpr std::string_view kHome = "\x1b[H", kClearLine = "\x1b[K", kClearBelow = "\x1b[J";

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(STDOUT_FILENO, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return;  // the terminal is gone, of which a signal tells
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

winsize size_of_terminal() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) {
    size.ws_row = 24;
    size.ws_col = 80;
  }
  return size;
}

}  // namespace

std::string cut_to(const std::string& text, std::size_t width) {
  std::size_t places = 0, end = 0;
  for (; end < text.size(); ++end) {
    const bool goes_on = (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80;
    if (!goes_on && ++places > width) break;
  }
  return text.substr(0, end);
}

Screen::Screen() : has_keys_(isatty(STDIN_FILENO) != 0 && tcgetattr(STDIN_FILENO, &before_) == 0) {
  enter();
}

Screen::~Screen() { leave(); }

void Screen::enter() {
  if (is_taken_) return;
  is_taken_ = true;
  if (has_keys_) {
    termios keys = before_;
    keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &keys);
  }
  write_all(fmt::format("{}{}", kSecondScreen, kHideCursor));
}

void Screen::leave() {
  if (!is_taken_) return;
  is_taken_ = false;
  write_all(fmt::format("{}{}", kShowCursor, kFirstScreen));
  if (has_keys_) tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
}

std::size_t Screen::draw(const std::vector<std::string>& lines, std::size_t first) const {
  const winsize size = size_of_terminal();
  const std::size_t left = lines.size() - std::min(first, lines.size());
  const bool fits = left <= size.ws_row;
  const std::size_t shown = fits ? left : size.ws_row - 1U;
  std::string page(kHome);
  for (std::size_t at = 0; at < shown; ++at) {
    page += cut_to(lines[first + at], size.ws_col);
    page += kClearLine;
    if (at + 1 < size.ws_row) page += "\r\n";
  }
  if (!fits) page += cut_to(fmt::format("... {} more lines", left - shown), size.ws_col);
  // Where the page ends in the last line there is nothing below.
  page += shown < size.ws_row ? kClearBelow : std::string_view();
  write_all(page);
  return shown;
}

}  // namespace weft
