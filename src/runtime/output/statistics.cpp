// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/output/statistics.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {
namespace {

using Numbers = std::vector<std::pair<std::string_view, std::uint64_t>>;

struct Group {
  std::string_view name;
  Numbers numbers;
};

std::vector<Group> groups_of(const EngineCounters& counters) {
  std::vector<Group> groups;
  for (const CounterInfo& each : engine_counters()) {
    if (groups.empty() || groups.back().name != each.group) groups.push_back({each.group, {}});
    groups.back().numbers.emplace_back(each.name, counters.*each.value);
  }
  return groups;
}

Numbers numbers_of(const TransportCounters& transport) {
  return {{"control_messages", transport.messages_sent[0]},
          {"data_messages", transport.messages_sent[1]},
          {"control_bytes", transport.bytes_sent[0]},
          {"data_bytes", transport.bytes_sent[1]},
          {"connections_refused", transport.connections_refused}};
}

Numbers numbers_of(const RegionAccount& regions) {
  return {{"regions_spread", regions.spread},
          {"regions_inside", regions.inside},
          {"placement_moves", regions.moves},
          {"placement_trials", regions.trials},
          {"placement_returns", regions.returns}};
}

Numbers numbers_of(const PagesByKind& pages) {
  Numbers numbers;
  for (std::size_t kind = 0; kind < pages.size(); ++kind) {
    numbers.emplace_back(kPageKindNames[kind], pages[kind]);
  }
  return numbers;
}

std::string listed(const Group& group) {
  std::string text;
  for (const auto& [name, number] : group.numbers) {
    if (number != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, number);
  }
  return text.empty() ? text : fmt::format("{}: {}", group.name, text);
}

std::string object(const Numbers& numbers) {
  std::string text;
  for (const auto& [name, number] : numbers) {
    text += fmt::format("{}\"{}\": {}", text.empty() ? "" : ", ", name, number);
  }
  return '{' + text + '}';
}

}  // namespace

std::string as_text(const Statistics& statistics) {
  std::vector<Group> groups = groups_of(statistics.engine);
  groups.push_back({"transport", numbers_of(statistics.transport)});
  groups.push_back({"homed here", numbers_of(statistics.pages)});
  groups.push_back({"regions", numbers_of(statistics.regions)});
  std::string text;
  for (const Group& group : groups) {
    const std::string part = listed(group);
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  }
  text = fmt::format("weft: node {}: {}\n", statistics.node.value(), text);
  if (statistics.regions.remarks.empty()) return text;
  return text +
         fmt::format("weft: node {}: {}\n", statistics.node.value(), statistics.regions.remarks);
}

std::string as_json(const Statistics& statistics) {
  Numbers counters;
  for (const CounterInfo& each : engine_counters()) {
    counters.emplace_back(each.name, statistics.engine.*each.value);
  }
  return fmt::format(
      "{{\"weft_node\": {}, \"counters\": {}, \"transport\": {}, \"homed_here\": {}, "
      "\"regions\": {}}}\n",
      statistics.node.value(), object(counters), object(numbers_of(statistics.transport)),
      object(numbers_of(statistics.pages)), object(numbers_of(statistics.regions)));
}

void print_last_words(const Statistics& statistics, std::string_view format) {
  std::string text;
  if (!format.empty()) text = format == "json" ? as_json(statistics) : as_text(statistics);
  if (const std::uint64_t refused = statistics.transport.connections_refused; refused != 0) {
    text += fmt::format("weft: node {}: {} {} from outside the job {} refused\n",
                        statistics.node.value(), refused,
                        refused == 1 ? "connection" : "connections", refused == 1 ? "was" : "were");
  }
  if (!text.empty()) (void)!write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace weft
