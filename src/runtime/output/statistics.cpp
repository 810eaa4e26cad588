// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/output/statistics.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/json.hpp"

namespace weft {
namespace {

using Numbers = std::vector<std::pair<std::string_view, std::uint64_t>>;

struct Group {
  std::string name;
  Numbers numbers;
};

std::vector<Group> groups_of(const EngineCounters& counters) {
  std::vector<Group> groups;
  for (const CounterInfo& each : engine_counters()) {
    if (groups.empty() || groups.back().name != each.group)
      groups.push_back({std::string(each.group), {}});
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

Numbers numbers_of(const HintAccount& hints) {
  return {{"hints_performed", hints.performed},
          {"hinted_pages_brought", hints.pages_brought},
          {"hinted_pages_claimed", hints.pages_claimed}};
}

Numbers numbers_of(const MoveAccount& moves) {
  return {{"threads_migrated", moves.migrated},
          {"threads_balanced", moves.balanced},
          {"threads_gathered", moves.gathered},
          {"rests_ended", moves.rests_ended}};
}

Numbers numbers_of(const PagesByKind& pages) {
  Numbers numbers;
  for (std::size_t kind = 0; kind < pages.size(); ++kind) {
    numbers.emplace_back(kPageKindNames[kind], pages[kind]);
  }
  return numbers;
}

Numbers numbers_of(const SiteCounts& counts) {
  Numbers numbers;
  for (std::size_t kind = 0; kind < counts.size(); ++kind) {
    numbers.emplace_back(kSiteCountNames[kind], counts[kind]);
  }
  return numbers;
}

std::uint64_t weight_of(const SiteStatistics& site) {
  std::uint64_t weight = 0;
  using enum SiteCount;
  for (const SiteCount each : {kPagesPrefetched, kPagesOverwritten, kMisses, kLate}) {
    weight += site.counts[static_cast<std::size_t>(each)];
  }
  return weight;
}

std::string with(JsonObject object, const Numbers& numbers) {
  for (const auto& [name, number] : numbers) object.add(name, number);
  return object.text();
}

std::string list_of(const std::vector<SiteStatistics>& sites) {
  std::vector<std::string> objects;
  for (const SiteStatistics& site : sites) {
    objects.push_back(with(JsonObject().add("place", site.place), numbers_of(site.counts)));
  }
  return json_list(objects);
}

std::string listed(const Group& group) {
  std::string text;
  for (const auto& [name, number] : group.numbers) {
    if (number != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, number);
  }
  return text.empty() ? text : fmt::format("{}: {}", group.name, text);
}

}  // namespace

bool asks_for_sites(std::string_view format) { return format.starts_with("sites"); }

std::string place_of_site(std::uintptr_t address, const std::string& text) {
  if (address == 0) return "others";
  return text.empty() ? fmt::format("{:#x}", address) : text;
}

std::vector<SiteStatistics> merged_by_place(std::vector<SiteStatistics> sites) {
  std::map<std::string, SiteCounts> by_place;
  for (const SiteStatistics& site : sites) {
    SiteCounts& sum = by_place[site.place];
    std::ranges::transform(sum, site.counts, sum.begin(), std::plus());
  }
  sites.clear();
  for (const auto& [place, counts] : by_place) sites.push_back({place, counts});
  std::ranges::sort(sites, [](const SiteStatistics& one, const SiteStatistics& other) {
    const std::uint64_t weight = weight_of(one), other_weight = weight_of(other);
    return weight != other_weight ? weight > other_weight : one.place < other.place;
  });
  return sites;
}

std::string as_text(const Statistics& statistics) {
  std::vector<Group> groups = groups_of(statistics.engine);
  groups.push_back({"transport", numbers_of(statistics.transport)});
  groups.push_back({"homed here", numbers_of(statistics.pages)});
  groups.push_back({"regions", numbers_of(statistics.regions)});
  groups.push_back({"hints", numbers_of(statistics.hints)});
  groups.push_back({"threads", numbers_of(statistics.moves)});
  std::string text;
  for (const Group& group : groups) {
    const std::string part = listed(group);
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  }
  text = fmt::format("weft: node {}: {}\n", statistics.node.value(), text);
  const auto add = [&](std::string_view line) {
    text += fmt::format("weft: node {}: {}\n", statistics.node.value(), line);
  };
  for (const std::string& remarks : {statistics.regions.remarks, statistics.moves.remarks})
    if (!remarks.empty()) add(remarks);
  if (!statistics.sites) return text;
  for (const SiteStatistics& site : *statistics.sites) {
    add(listed({fmt::format("site {}", site.place), numbers_of(site.counts)}));
  }
  return text;
}

std::string as_json(const Statistics& statistics) {
  Numbers counters;
  for (const CounterInfo& each : engine_counters()) {
    counters.emplace_back(each.name, statistics.engine.*each.value);
  }
  JsonObject all;
  all.add("weft_node", statistics.node.value())
      .add_json("counters", with({}, counters))
      .add_json("transport", with({}, numbers_of(statistics.transport)))
      .add_json("homed_here", with({}, numbers_of(statistics.pages)))
      .add_json("regions", with({}, numbers_of(statistics.regions)))
      .add_json("hints", with({}, numbers_of(statistics.hints)))
      .add_json("threads", with({}, numbers_of(statistics.moves)));
  if (statistics.sites) all.add_json("sites", list_of(*statistics.sites));
  return all.text() + '\n';
}

void print_last_words(const Statistics& statistics, std::string_view format) {
  std::string text;
  if (!format.empty()) text = format.ends_with("json") ? as_json(statistics) : as_text(statistics);
  if (const std::uint64_t refused = statistics.transport.connections_refused; refused != 0) {
    text += fmt::format("weft: node {}: {} {} from outside the job {} refused\n",
                        statistics.node.value(), refused,
                        refused == 1 ? "connection" : "connections", refused == 1 ? "was" : "were");
  }
  if (!text.empty()) (void)!write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace weft
