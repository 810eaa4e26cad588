// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/doctor/host_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/text/json.hpp"
#include "weft/text/table.hpp"

namespace weft {
namespace {

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

// --- faults ---

// What ssh or an agent says of a host that cannot be reached, and what helps.
struct KnownFailure {
  std::string_view words, remedy;
};
constexpr std::array kKnownFailures = {
    KnownFailure{"resolve", "Correct the name, or add it to /etc/hosts or ~/.ssh/config."},
    KnownFailure{"not known", "Correct the name, or add it to /etc/hosts or ~/.ssh/config."},
    KnownFailure{"Permission denied",
                 "Give the host your key: ssh-copy-id {0}. Weft never asks for a password."},
    KnownFailure{"Host key verification", "Accept the host's key once: ssh {0} true."},
    KnownFailure{"refused", "Start sshd there, or name its port in ~/.ssh/config."},
    KnownFailure{"timed out", "Is it switched on, and does a firewall let ssh through?"},
    KnownFailure{"No route", "Is it switched on, and in a network that this host reaches?"},
    KnownFailure{"is Weft installed there", "Install Weft there, with the same prefix as here."},
    KnownFailure{"another version", "Install the same Weft on all hosts."},
};

std::string remedy_of_failure(const HostReport& host) {
  for (const auto& [words, remedy] : kKnownFailures) {
    if (host.failure.find(words) != std::string::npos) {
      return fmt::format(fmt::runtime(remedy), host.name);
    }
  }
  return fmt::format("See what this says: ssh -oBatchMode=yes {} true", host.name);
}

const HostReport* first_reached(const Findings& findings) {
  const auto found = std::ranges::find_if(
      findings.hosts, [](const HostReport& each) { return each.failure.empty(); });
  return found == findings.hosts.end() ? nullptr : &*found;
}

void compare_layout(const HostReport& host, const HostReport& first, std::vector<Fault>& faults) {
  const auto& [mine, theirs] = std::pair(first.found.layout, host.found.layout);
  const auto [one, other] = std::ranges::mismatch(mine, theirs);
  if (one == mine.end() && other == theirs.end()) return;
  const std::string here = one == mine.end() ? "nothing" : *one;
  const std::string there = other == theirs.end() ? "nothing" : *other;
  faults.push_back({host.name,
                    fmt::format("libraries lie at other addresses than on {}: {} there, {} here",
                                first.name, here, there),
                    "Install the same versions of the system's libraries on all hosts."});
}

void examine(const HostReport& host, const Findings& findings, std::vector<Fault>& faults) {
  const auto add = [&](const std::string& what, const std::string& remedy) {
    faults.push_back({host.name, what, remedy});
  };
  if (!host.failure.empty()) return add(host.failure, remedy_of_failure(host));
  if (host.hello.version != findings.version) {
    add(fmt::format("it has Weft {}, and this host has {}", host.hello.version, findings.version),
        "Install the same Weft on all hosts.");
  }
  const Examination& found = host.found;
  if (!found.fixes_addresses) {
    add("address randomisation cannot be switched off",
        "In a container, start it with --security-opt seccomp=unconfined.");
  }
  if (!found.has_memfd) add("memfd_create does not work", "Weft needs Linux 3.17 or newer.");
  if (std::ranges::none_of(found.watching, &WatchingWay::works)) {
    add("no way to watch pages works", "Run `weft doctor` there; it says why each does not.");
  }
  if (found.free_shared_bytes == 0) {
    add("/dev/shm has no room",
        "Remove files there that nobody uses, or enlarge it: "
        "mount -o remount,size=1G /dev/shm");
  }
  compare_layout(host, *first_reached(findings), faults);
}

// --- words ---

std::string duration_text(std::int64_t ns) {
  const double ms = static_cast<double>(ns) / 1e6;
  return std::abs(ms) < 1000 ? fmt::format("{:+.1f} ms", ms) : fmt::format("{:+.1f} s", ms / 1000);
}

std::string ways_text(const Examination& found) {
  std::vector<std::string> ways;
  for (const WatchingWay& each : found.watching) {
    if (each.works) ways.push_back(each.name);
  }
  return ways.empty() ? "none" : fmt::format("{}", fmt::join(ways, ", "));
}

using Row = std::vector<std::string>;

// The first row has the headings.
std::string table(const std::vector<Row>& rows) {
  std::vector<Table::Column> columns;
  for (const std::string& each : rows.front()) columns.push_back({each});
  Table table(std::move(columns));
  for (std::size_t row = 1; row < rows.size(); ++row) table.add(rows[row]);
  return fmt::format("{}\n", fmt::join(table.lines(), "\n"));
}

Row row_of(const HostReport& host) {
  if (!host.failure.empty()) return {host.name, "not reached"};
  const Examination& found = host.found;
  return {host.name,
          host.hello.host,
          host.hello.version,
          found.kernel,
          std::to_string(host.hello.processors.size()),
          fmt::format("{:.1f}", static_cast<double>(found.memory_bytes) / kGiB),
          fmt::format("{:.1f}", static_cast<double>(found.free_memory_bytes) / kGiB),
          host.network.interface.empty()
              ? "none"
              : fmt::format("{} {}", host.network.interface, host.network.address),
          duration_text(host.ahead_ns),
          ways_text(found)};
}

std::string pair_text(const ProbeResult& result) {
  if (!result.error.empty()) return "no connection";
  return fmt::format("{:.0f} us {:.0f} MB/s", static_cast<double>(result.round_trip_ns) / 1e3,
                     static_cast<double>(result.bytes_per_second) / 1e6);
}

std::vector<Row> pair_rows(const Findings& findings) {
  const std::size_t count = findings.hosts.size();
  std::vector<Row> rows(count + 1, Row(count + 1, ""));
  rows[0][0] = "from \\ to";
  for (std::size_t each = 0; each < count; ++each) {
    rows[0][each + 1] = rows[each + 1][0] = findings.hosts[each].name;
  }
  for (const PairReport& each : findings.pairs) {
    rows[each.from + 1][each.to + 1] = pair_text(each.result);
  }
  return rows;
}

std::string verdict(const Findings& findings, std::size_t faults) {
  if (faults == 0) {
    return findings.hosts.size() == 1
               ? "Jobs can run there.\n"
               : fmt::format("Jobs can run on these {} hosts.\n", findings.hosts.size());
  }
  return faults == 1 ? "1 fault.\n" : fmt::format("{} faults.\n", faults);
}

// --- JSON ---

std::string json_of(const HostReport& host) {
  JsonObject json;
  json.add("host", host.name).add_json("reached", host.failure.empty() ? "true" : "false");
  if (!host.failure.empty()) return json.text();
  std::vector<std::string> ways;
  for (const WatchingWay& each : host.found.watching) {
    if (each.works) ways.push_back(json_string(each.name));
  }
  return json.add("name", host.hello.host)
      .add("version", host.hello.version)
      .add("kernel", host.found.kernel)
      .add("processors", host.hello.processors.size())
      .add("numa_domains", count_numa_domains(host.hello.processors))
      .add("memory_bytes", host.found.memory_bytes)
      .add("free_memory_bytes", host.found.free_memory_bytes)
      .add("clock_ahead_ns", host.ahead_ns)
      .add("interface", host.network.interface)
      .add("address", host.network.address)
      .add_json("watching", json_list(ways))
      .text();
}

std::string json_of(const PairReport& pair, const Findings& findings) {
  JsonObject json;
  json.add("from", findings.hosts[pair.from].name).add("to", findings.hosts[pair.to].name);
  if (!pair.result.error.empty()) return json.add("error", pair.result.error).text();
  const double round_trip_us = static_cast<double>(pair.result.round_trip_ns) / 1e3;
  return json.add_json("round_trip_us", fmt::format("{:.1f}", round_trip_us))
      .add("bytes_per_second", pair.result.bytes_per_second)
      .text();
}

std::string json_of(const Fault& fault) {
  return JsonObject()
      .add("where", fault.where)
      .add("what", fault.what)
      .add("remedy", fault.remedy)
      .text();
}

}  // namespace

std::vector<Fault> faults_of(const Findings& findings) {
  std::vector<Fault> faults;
  for (const HostReport& each : findings.hosts) examine(each, findings, faults);
  if (!findings.no_network.empty()) {
    faults.push_back({"network", findings.no_network,
                      "Give the hosts a network in common, or say by --net which to use."});
  }
  for (const PairReport& each : findings.pairs) {
    if (each.result.error.empty()) continue;
    const HostReport& to = findings.hosts[each.to];
    faults.push_back(
        {fmt::format("{} to {}", findings.hosts[each.from].name, to.name),
         fmt::format("no TCP connection to {}: {}", to.network.address, each.result.error),
         fmt::format("Let the firewall on {} pass TCP from the other hosts, at any "
                     "port, or name another network by --net.",
                     to.name)});
  }
  return faults;
}

std::string as_text(const Findings& findings) {
  std::vector<Row> rows = {{"host", "name", "Weft", "kernel", "processors", "GiB", "free",
                            "network", "clock", "pages watched by"}};
  for (const HostReport& each : findings.hosts) rows.push_back(row_of(each));
  std::string text = table(rows);
  if (!findings.pairs.empty()) text += "\n" + table(pair_rows(findings));
  const std::vector<Fault> faults = faults_of(findings);
  text += "\n";
  for (const Fault& each : faults) {
    text += fmt::format("{}: {}\n    {}\n", each.where, each.what, each.remedy);
  }
  return text + verdict(findings, faults.size());
}

std::string as_json(const Findings& findings) {
  std::vector<std::string> hosts, pairs, faults;
  for (const HostReport& each : findings.hosts) hosts.push_back(json_of(each));
  for (const PairReport& each : findings.pairs) pairs.push_back(json_of(each, findings));
  for (const Fault& each : faults_of(findings)) faults.push_back(json_of(each));
  return fmt::format(
      "{{\"version\": {}, \"healthy\": {},\n \"hosts\": [{}],\n \"pairs\": [{}],\n "
      "\"faults\": [{}]}}\n",
      json_string(findings.version), faults.empty() ? "true" : "false", fmt::join(hosts, ",\n  "),
      fmt::join(pairs, ",\n  "), fmt::join(faults, ",\n  "));
}

}  // namespace weft
