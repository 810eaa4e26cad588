// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/text/durations.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <ctime>

namespace weft {
namespace {

using std::chrono::milliseconds;

struct Unit {
  std::string_view name;
  std::int64_t milliseconds;
};
// From long to short. "ms" stands before "m" where both would fit.
constexpr Unit kUnits[] = {
    {"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1000}, {"ms", 1}};
constexpr std::int64_t kLongest = 10'000 * kUnits[0].milliseconds;

// The letters that the text begins with.
std::string_view letters(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (text[end] < '0' || text[end] > '9')) ++end;
  return text.substr(0, end);
}

std::int64_t length_of(std::string_view name) {
  if (name.empty()) return 1000;
  for (const Unit& each : kUnits) {
    if (each.name == name) return each.milliseconds;
  }
  return 0;
}

std::tm local_time(std::chrono::system_clock::time_point when) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(when);
  std::tm parts = {};
  localtime_r(&seconds, &parts);
  return parts;
}

}  // namespace

std::optional<milliseconds> parse_duration(std::string_view text) {
  std::int64_t sum = 0, last_unit = kLongest;
  bool any = false;
  while (!text.empty() || !any) {
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || count < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const std::string_view name = letters(text);
    text.remove_prefix(name.size());
    const std::int64_t unit = length_of(name);
    const bool is_last = text.empty();
    // A number without a unit is of seconds, and stands alone.
    if (unit == 0 || unit >= last_unit || (name.empty() && (any || !is_last))) return std::nullopt;
    if (count > (kLongest - sum) / unit) return std::nullopt;
    sum += count * unit;
    last_unit = unit;
    any = true;
  }
  return milliseconds(sum);
}

std::string duration_text(milliseconds duration) {
  std::string text;
  std::int64_t rest = duration.count();
  // Seconds up to two minutes read best as they are.
  const std::int64_t longest = rest < 120'000 ? 1000 : kLongest;
  for (const Unit& each : kUnits) {
    if (each.milliseconds > longest) continue;
    if (rest >= each.milliseconds) {
      text += fmt::format("{}{}", rest / each.milliseconds, each.name);
    }
    rest %= each.milliseconds;
  }
  return text.empty() ? "0s" : text;
}

std::string running_time(milliseconds duration) {
  const std::int64_t seconds = duration.count() / 1000;
  const std::int64_t days = seconds / 86400, hours = seconds / 3600 % 24;
  const std::int64_t minutes = seconds / 60 % 60, rest = seconds % 60;
  if (days > 0) return fmt::format("{}d {:02}:{:02}:{:02}", days, hours, minutes, rest);
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, rest);
  return fmt::format("{}:{:02}", minutes, rest);
}

std::string time_of_day(std::chrono::system_clock::time_point when) {
  const std::tm parts = local_time(when);
  const auto since = std::chrono::floor<milliseconds>(when.time_since_epoch()).count();
  return fmt::format("{:02}:{:02}:{:02}.{:03}", parts.tm_hour, parts.tm_min, parts.tm_sec,
                     since % 1000);
}

std::string date_and_time(std::chrono::system_clock::time_point when) {
  const std::tm parts = local_time(when);
  return fmt::format("{}-{:02}-{:02} {:02}:{:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

}  // namespace weft
