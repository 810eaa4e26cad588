// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/run_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/ids.hpp"

namespace weft {

CLI::App* add_run_command(CLI::App& app, RunOptions& options) {
  CLI::App* const run = app.add_subcommand("run", "Run a program on several nodes");
  run->add_option("-n,--nodes", options.nodes, "Number of nodes")
      ->check(CLI::Range(std::size_t{1}, kMaxNodes));
  run->add_option("-t,--threads", options.threads, "OpenMP threads of each node")
      ->check(CLI::Range(1, 4096));
  run->add_option("--back-end", options.back_end, "How a node watches its pages")
      ->check(CLI::IsMember({"auto", "uffd-async", "uffd-sync", "mprotect"}))
      ->capture_default_str()
      ->envname("WEFT_BACK_END");
  run->add_option("--transport", options.transport, "What carries messages")
      ->check(CLI::IsMember({"auto", "shm", "tcp"}))
      ->capture_default_str()
      ->envname("WEFT_TRANSPORT");
  run->add_option("--latency-us", options.latency_us, "Delay every message by so many microseconds")
      ->envname("WEFT_LATENCY_US");
  run->add_option("--bandwidth", options.bandwidth, "Bytes a second that a node may send")
      ->transform(CLI::AsSizeValue(false))
      ->envname("WEFT_BANDWIDTH");
  run->add_option("--memory", options.memory, "Memory that a node may use, such as 512M")
      ->transform(CLI::AsSizeValue(false))
      ->envname("WEFT_NODE_MEMORY");
  run->add_option("--shared-size", options.shared_size, "Size of the shared heap, such as 8G")
      ->transform(CLI::AsSizeValue(false))
      ->envname("WEFT_SHARED_SIZE");
  run->add_option("--grace", options.grace_seconds,
                  "Seconds from SIGINT, SIGTERM, SIGHUP or SIGQUIT to the end; 0: for ever")
      ->capture_default_str();
  run->add_flag("--stats{text}", options.statistics,
                "Print each node's counters at the end; --stats=json: all of them, for scripts")
      ->check(CLI::IsMember({"text", "json", "0", "1"}))
      ->envname("WEFT_STATS");
  run->add_flag("--label", options.label, "Begin every line of output with its node's number");
  run->add_flag("-v,--verbose", options.verbose, "Say what was chosen")->envname("WEFT_VERBOSE");
  run->add_option("--node-library", options.node_library)->group("");  // for tests: not shown
  run->add_option("command", options.command, "Program and its arguments")
      ->required()
      ->type_name("PROGRAM [ARGS...]");
  // Options after the program are the program's.
  run->positionals_at_end();
  run->prefix_command();
  return run;
}

Result<unsigned> decide_threads(const RunOptions& options, const char* omp_num_threads,
                                unsigned processors) {
  if (options.threads != 0) return options.threads;
  if (omp_num_threads == nullptr || *omp_num_threads == '\0') {
    return std::max(1U, processors / options.nodes);
  }
  // A list gives the numbers of nested levels; the first is that of the outermost.
  const std::string_view text(omp_num_threads);
  unsigned all = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), all);
  const bool clean = stop == text.data() + text.size() || *stop == ',';
  if (error != std::errc() || !clean || all == 0) {
    return Failure{fmt::format("OMP_NUM_THREADS={} is not a number of threads", text)};
  }
  return (all + options.nodes - 1) / options.nodes;
}

std::map<std::string, std::string> option_environment(const RunOptions& options) {
  std::map<std::string, std::string> variables = {
      {"WEFT_BACK_END", options.back_end},
      {"WEFT_TRANSPORT", options.transport},
  };
  const auto add_number = [&](const char* name, std::uint64_t value) {
    if (value != 0) variables[name] = fmt::format("{}", value);
  };
  add_number("WEFT_LATENCY_US", options.latency_us);
  add_number("WEFT_BANDWIDTH", options.bandwidth);
  add_number("WEFT_NODE_MEMORY", options.memory);
  add_number("WEFT_SHARED_SIZE", options.shared_size);
  if (!options.statistics.empty()) variables["WEFT_STATS"] = options.statistics;
  add_number("WEFT_VERBOSE", options.verbose ? 1 : 0);
  return variables;
}

}  // namespace weft
