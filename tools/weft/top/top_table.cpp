// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/top/top_table.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <optional>

#include "weft/jobs/job_figures.hpp"
#include "weft/text/durations.hpp"
#include "weft/text/table.hpp"

namespace weft {
namespace {

using Side = Table::Side;

// In a second, each.
struct Rates {
  double processors = 0, faults = 0, messages = 0, bytes = 0;
  bool known = false;

  Rates& operator+=(const Rates& more) {
    processors += more.processors;
    faults += more.faults;
    messages += more.messages;
    bytes += more.bytes;
    known = known || more.known;
    return *this;
  }
};

// Counters only grow; where one seems not to, the node's number stands for another.
double difference(std::uint64_t now, std::uint64_t before) {
  return now > before ? static_cast<double>(now - before) : 0;
}

Rates rates_of(const NodeView& before, const NodeView& now, double seconds) {
  if (process_of(before).pid != process_of(now).pid || seconds <= 0) return {};
  const Figures first = figures_of(before), second = figures_of(now);
  return {.processors = difference(second.processor_ms, first.processor_ms) / 1000 / seconds,
          .faults = difference(second.faults, first.faults) / seconds,
          .messages = difference(second.messages, first.messages) / seconds,
          .bytes = difference(second.bytes, first.bytes) / seconds,
          .known = true};
}

// Of each of the host's nodes.
std::vector<Rates> rates_of(const ObservedHost* before, const ObservedHost& now) {
  std::vector<Rates> all(now.nodes.size());
  if (before == nullptr || !before->answered || !now.answered) return all;
  const double seconds = difference(now.taken_us, before->taken_us) / 1e6;
  for (std::size_t at = 0; at < all.size() && at < before->nodes.size(); ++at) {
    all[at] = rates_of(before->nodes[at], now.nodes[at], seconds);
  }
  return all;
}

std::string percent(double processors) { return fmt::format("{:.0f}", processors * 100); }

std::vector<std::string> row(const std::string& name, const std::string& state,
                             const Figures& figures, const Rates& rates, const std::string& waits) {
  const auto told = [&rates](const std::string& text) { return rates.known ? text : "-"; };
  return {name,
          state,
          told(percent(rates.processors)),
          bytes_text(figures.memory_bytes),
          told(count_text(rates.faults)),
          told(count_text(rates.messages)),
          told(bytes_text(static_cast<std::uint64_t>(rates.bytes))),
          std::to_string(figures.threads),
          std::to_string(figures.waiting),
          waits};
}

void add_threads(Table& table, const NodeView& node) {
  for (const board::ThreadSnapshot& each : programs_threads(node)) {
    const std::string name = each.number >= 0 ? fmt::format("thread {}", each.number)
                                              : fmt::format("tid {}", each.thread);
    table.add({"    " + name, each.is_waiting ? "waiting" : "running", "", "", "", "", "", "", "",
               wait_of(each)});
  }
}

void add_host(Table& table, const ObservedHost& host, const std::vector<Rates>& rates,
              bool threads) {
  Rates sum;
  for (const Rates& each : rates) sum += each;
  table.add(row(printable(host.name), host.answered ? "" : "no answer", figures_of(host), sum, ""));
  for (std::size_t at = 0; at < host.nodes.size(); ++at) {
    const NodeView& node = host.nodes[at];
    table.add(row(fmt::format("  node {}", node.node), word_for(node), figures_of(node), rates[at],
                  waits_of(node)));
    if (threads) add_threads(table, node);
  }
}

}  // namespace

std::vector<std::string> top_lines(const std::string& job, const TwoLooks& looks, bool threads) {
  const JobState& now = looks.now;
  Table table({{"HOST"},
               {"STATE"},
               {"CPU %", Side::kRight},
               {"MEMORY", Side::kRight},
               {"FAULTS/s", Side::kRight},
               {"MESSAGES/s", Side::kRight},
               {"SENT/s", Side::kRight},
               {"THREADS", Side::kRight},
               {"WAITING", Side::kRight},
               {"FOR"}});
  std::vector<std::vector<Rates>> rates;
  Rates sum;
  for (std::size_t at = 0; at < now.hosts.size(); ++at) {
    const ObservedHost* const before =
        at < looks.before.hosts.size() ? &looks.before.hosts[at] : nullptr;
    rates.push_back(rates_of(before, now.hosts[at]));
    for (const Rates& each : rates.back()) sum += each;
  }
  table.add(row("all", word_for(now), figures_of(now), sum, ""));
  for (std::size_t at = 0; at < now.hosts.size(); ++at) {
    add_host(table, now.hosts[at], rates[at], threads);
  }
  std::vector<std::string> lines = {
      fmt::format("job {}: {}", job, printable(command_text(now.command))),
      fmt::format("{} for {}, {} nodes on {}", word_for(now),
                  running_time(std::chrono::milliseconds(now.age_ms)), nodes_text(now),
                  printable(hosts_text(now))),
      ""};
  for (std::string& each : table.lines()) lines.push_back(std::move(each));
  return lines;
}

}  // namespace weft
