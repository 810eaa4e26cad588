// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/scaling/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace weft::scaling {
namespace {

Totals run(const Pattern& pattern, const LogGP& model, std::uint16_t nodes, unsigned iterations) {
  ModelJob job(model, nodes, pattern.page_count(nodes),
               [&](Thread& self) { return pattern.run(self, iterations); });
  return job.run();
}

void print_head(const Pattern& pattern) {
  fmt::print("{}: {}\n", pattern.name, pattern.meaning);
  fmt::print(
      "  {:>5} {:>11} | {:>7} {:>6} {:>7} {:>5} | {:>10} {:>6} {:>13} {:>6} {:>9} | {:>9} "
      "{:>9}\n",
      "nodes", "time us", "compute", "fetch", "barrier", "lock", "messages", "grows", "bytes",
      "grows", "faults", "kept/node", "most/node");
}

// The exponent e of growth as N^e; N log N has 1.25 from 16 to 64 nodes, 1.17 from 256 to 1,024.
std::string growth(double before, double now, double nodes_ratio) {
  return before > 0 && now > 0
             ? fmt::format("{:.2f}", std::log(now / before) / std::log(nodes_ratio))
             : "";
}

void print_row(const Iteration& now, const Iteration* before) {
  fmt::print("  {:>5} {:>11.1f} |", now.nodes, now.time_us);
  for (std::size_t index = 0; index < kActivities; ++index) {
    static constexpr int kWidths[kActivities] = {6, 5, 6, 4};
    fmt::print(" {:>{}.0f}%", 100 * now.share[index], kWidths[index]);
  }
  const double ratio = before ? static_cast<double>(now.nodes) / before->nodes : 0;
  fmt::print(" | {:>10.0f} {:>6} {:>13.0f} {:>6} {:>9.0f} | {:>6.1f} KB {:>6.1f} KB\n",
             now.messages, before ? growth(before->messages, now.messages, ratio) : "", now.bytes,
             before ? growth(before->bytes, now.bytes, ratio) : "", now.faults,
             now.kept_bytes / now.nodes / 1024, now.most_of_a_node / 1024);
  std::fflush(stdout);
}

void print_json(const Pattern& pattern, const Iteration& now, bool is_first) {
  fmt::print(
      "{}  {{\"program\": \"{}\", \"nodes\": {}, \"time_us\": {:.3f}, \"messages\": {}, \"bytes\": "
      "{}, "
      "\"faults\": {}, \"notices\": {}, \"kept_bytes\": {}, \"most_of_a_node\": {}, \"share\": [",
      is_first ? "" : ",\n", pattern.name, now.nodes, now.time_us, now.messages, now.bytes,
      now.faults, now.notices, now.kept_bytes, now.most_of_a_node);
  for (std::size_t index = 0; index < kActivities; ++index) {
    fmt::print("{}{:.4f}", index == 0 ? "" : ", ", now.share[index]);
  }
  fmt::print("]}}");
}

void study(const Pattern& pattern, const StudyOptions& options, bool& is_first) {
  if (!options.as_json) print_head(pattern);
  Iteration before;
  for (const std::uint16_t nodes : options.nodes) {
    const Iteration now = measure(pattern, options.model, nodes, options.iterations);
    if (options.as_json) {
      print_json(pattern, now, is_first);
    } else {
      print_row(now, before.nodes > 0 ? &before : nullptr);
    }
    is_first = false;
    before = now;
  }
  if (!options.as_json) fmt::print("\n");
}

}  // namespace

Iteration measure(const Pattern& pattern, const LogGP& model, std::uint16_t nodes,
                  unsigned iterations) {
  const Totals fewer = run(pattern, model, nodes, iterations);
  const Totals more = run(pattern, model, nodes, 2 * iterations);
  const auto each = [&](std::uint64_t a, std::uint64_t b) {
    return (static_cast<double>(b) - static_cast<double>(a)) / iterations;
  };
  const EngineCounters &a = fewer.counters, &b = more.counters;
  Iteration iteration{.nodes = nodes,
                      .time_us = each(fewer.time, more.time) / 1000,
                      .messages = each(a.messages_sent, b.messages_sent),
                      .bytes = each(a.message_bytes, b.message_bytes),
                      .faults = each(a.faults, b.faults),
                      .notices = each(a.notices_sent, b.notices_sent),
                      .kept_bytes = static_cast<double>(more.memory),
                      .most_of_a_node = static_cast<double>(more.most_memory_of_a_node)};
  double all = 0;
  for (std::size_t index = 0; index < kActivities; ++index) {
    iteration.share[index] = each(fewer.spent[index], more.spent[index]);
    all += iteration.share[index];
  }
  for (double& share : iteration.share) share /= all;
  return iteration;
}

int run_study(const StudyOptions& options) {
  bool is_first = true;
  if (options.as_json) fmt::print("[\n");
  for (const Pattern& pattern : all_patterns()) {
    const bool is_chosen =
        options.programs.empty() ||
        std::ranges::find(options.programs, pattern.name) != options.programs.end();
    if (is_chosen) study(pattern, options, is_first);
  }
  if (options.as_json) fmt::print("\n]\n");
  return 0;
}

}  // namespace weft::scaling
