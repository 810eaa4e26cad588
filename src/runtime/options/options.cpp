// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/options/options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

namespace weft {
namespace {

std::optional<std::uint64_t> parse_size(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (unit.empty()) return value;
  constexpr std::string_view kUnits = "KMGT";
  const std::size_t power = kUnits.find(unit.front());
  if (power == std::string_view::npos || (unit.size() > 1 && unit.substr(1) != "iB")) {
    return std::nullopt;
  }
  return value << (10 * (power + 1));
}

// Sets `value` from the variable if it is there; false if it is there and makes no sense.
bool read(const char* variable, std::uint64_t& value) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return true;
  const std::optional<std::uint64_t> parsed = parse_size(text);
  if (parsed) value = *parsed;
  return parsed.has_value();
}

bool read(const char* variable, bool& value) {
  std::uint64_t number = value ? 1 : 0;
  if (!read(variable, number)) return false;
  value = number != 0;
  return true;
}

bool read(const char* variable, std::string& value) {
  const char* text = std::getenv(variable);
  if (text != nullptr && *text != '\0') value = text;
  return true;
}

}  // namespace

Result<NodeOptions> options_from_environment() {
  NodeOptions options;
  std::string misunderstood;
  const auto take = [&](const char* variable, auto& value) {
    if (!read(variable, value)) misunderstood = variable;
  };
  take("WEFT_BACK_END", options.back_end);
  take("WEFT_FAULTS_BY_SIGNAL", options.faults_by_signal);
  take("WEFT_TRANSPORT", options.transport);
  take("WEFT_LATENCY_US", options.latency_us);
  take("WEFT_BANDWIDTH", options.bandwidth);
  take("WEFT_JITTER_US", options.jitter_us);
  take("WEFT_JITTER_SEED", options.jitter_seed);
  take("WEFT_NODE_MEMORY", options.memory);
  take("WEFT_SHARED_SIZE", options.shared_size);
  take("WEFT_PAGES", options.pages);
  take("WEFT_HOMES", options.homes);
  take("WEFT_PUSH", options.push);
  take("WEFT_LOCKS", options.locks);
  take("WEFT_RELEASE", options.release);
  take("WEFT_ATOMICS", options.atomics);
  take("WEFT_CHECK", options.check);
  take("WEFT_STATS", options.statistics);
  take("WEFT_VERBOSE", options.verbose);
  if (!misunderstood.empty()) {
    return Failure{fmt::format("{}={} is not a number, or a number with K, M, G or T",
                               misunderstood, std::getenv(misunderstood.c_str()))};
  }
  if (!options.check.empty() && options.check != "protocol" && options.check != "libraries") {
    return Failure{
        fmt::format("there is no WEFT_CHECK={}: protocol, libraries, or nothing", options.check)};
  }
  if (options.statistics == "0") options.statistics.clear();
  if (options.statistics == "1") options.statistics = "text";
  if (!options.statistics.empty() && options.statistics != "text" && options.statistics != "json") {
    return Failure{
        fmt::format("there is no WEFT_STATS={}: text, json, or nothing", options.statistics)};
  }
  return options;
}

}  // namespace weft
