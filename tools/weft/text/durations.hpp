// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times as people write and read them.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

// "90" and "90s" are seconds, "15m" minutes, "2h" hours, "7d" days, "250ms" thousandths; parts
// follow each other from long to short, as in "1h30m". Nothing if it is none of that, or longer
// than 10,000 days.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

// The same the other way round: "250ms", "90s", "15m", "1h30m"; parse_duration() gives it back.
[[nodiscard]] std::string duration_text(std::chrono::milliseconds duration);

// How long something has been running: "0:07", "12:34", "5:06:07", "3d 04:05:06".
[[nodiscard]] std::string running_time(std::chrono::milliseconds duration);

// "12:34:56.789", in this process's time zone.
[[nodiscard]] std::string time_of_day(std::chrono::system_clock::time_point when);
// "2026-11-24 12:34:56", in this process's time zone.
[[nodiscard]] std::string date_and_time(std::chrono::system_clock::time_point when);

}  // namespace weft
