// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/hosts/allocation.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <sstream>

#include "base/ids.hpp"
#include "weft/text/command_output.hpp"

namespace weft {
namespace {

std::optional<unsigned> number(std::string_view text) {
  unsigned value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value == 0) return std::nullopt;
  return value;
}

// "2" or "2(x3)": how often the number comes.
std::optional<std::pair<unsigned, unsigned>> repeated(std::string_view text) {
  const std::size_t open = text.find("(x");
  const auto value = number(text.substr(0, open));
  if (!value) return std::nullopt;
  if (open == std::string_view::npos) return std::pair(*value, 1U);
  if (text.back() != ')') return std::nullopt;
  const auto times = number(text.substr(open + 2, text.size() - open - 3));
  if (!times) return std::nullopt;
  return std::pair(*value, *times);
}

Result<std::vector<std::string>> names_by_scontrol(const std::string& list) {
  std::istringstream output(
      output_of("exec scontrol show hostnames \"$WEFT_SLURM_LIST\" 2>/dev/null",
                {{"WEFT_SLURM_LIST", list}}));
  std::vector<std::string> names;
  for (std::string name; std::getline(output, name);) {
    while (name.ends_with(' ')) name.pop_back();
    if (!name.empty()) names.push_back(name);
  }
  if (!names.empty()) return names;
  return Failure{
      fmt::format("scontrol does not say which hosts are '{}' (SLURM_JOB_NODELIST)", list)};
}

}  // namespace

Result<std::vector<unsigned>> parse_counts(std::string_view text, std::size_t hosts) {
  std::vector<unsigned> counts;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t comma = rest.find(',');
    const auto part = repeated(rest.substr(0, comma));
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    if (!part || part->second > hosts - counts.size()) {
      return Failure{fmt::format("'{}' is not a count for each of {} hosts", text, hosts)};
    }
    counts.insert(counts.end(), part->second, part->first);
  }
  if (counts.size() == hosts) return counts;
  return Failure{fmt::format("'{}' is not a count for each of {} hosts", text, hosts)};
}

Result<std::optional<Allocation>> allocation_of(
    const Variables& variables,
    const std::function<Result<std::vector<std::string>>(const std::string& list)>& names) {
  const char* const list = variables("SLURM_JOB_NODELIST");
  if (list == nullptr || variables("SLURM_JOB_ID") == nullptr) return std::optional<Allocation>();
  const auto hosts = names(list);
  if (!hosts) return Failure{hosts.error()};
  const std::size_t count = hosts.value().size();
  Allocation found;
  for (const std::string& name : hosts.value()) found.hosts.push_back({.name = name, .nodes = {}});
  // Without --ntasks and the like Slurm counts a task for each host, or says nothing.
  const char* const tasks = variables("SLURM_TASKS_PER_NODE");
  if (tasks != nullptr && variables("SLURM_NTASKS") != nullptr) {
    const auto counts = parse_counts(tasks, count);
    if (!counts) return Failure{"SLURM_TASKS_PER_NODE: " + counts.error()};
    for (std::size_t host = 0; host < count; ++host) found.hosts[host].nodes = counts.value()[host];
  }
  const char* const processors = variables("SLURM_JOB_CPUS_PER_NODE");
  const auto counts =
      processors == nullptr ? std::vector<unsigned>(count, 1) : parse_counts(processors, count);
  if (!counts) return Failure{"SLURM_JOB_CPUS_PER_NODE: " + counts.error()};
  found.processors = counts.value();
  return std::optional(std::move(found));
}

Result<std::optional<Allocation>> own_allocation() {
  return allocation_of([](const char* name) { return std::getenv(name); }, names_by_scontrol);
}

std::vector<std::string> command_by_slurm(const std::string& host, unsigned processors,
                                          const std::vector<std::string>& command) {
  std::vector<std::string> words = {"srun",
                                    "--overlap",
                                    "--nodes=1",
                                    "--ntasks=1",
                                    "--mpi=none",
                                    fmt::format("--nodelist={}", host),
                                    fmt::format("--cpus-per-task={}", processors),
                                    "--unbuffered",
                                    "--kill-on-bad-exit=0"};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

}  // namespace weft
