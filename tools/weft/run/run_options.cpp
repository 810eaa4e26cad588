// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/run/run_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "base/ids.hpp"
#include "weft/text/durations.hpp"

namespace weft {

namespace {

// Checks what the user wrote, and writes it as nodes are told.
CLI::Validator as_told_to_nodes(const OptionInfo& info) {
  std::string shown = info.is_size ? "SIZE" : "";
  if (!info.choices.empty()) shown = fmt::format("{{{}}}", fmt::join(info.choices, ","));
  const auto check = [&info](std::string& text) {
    NodeOptions options;
    const Status status = set_option(options, info, text, text);
    if (!status) return status.error();
    text = text_of(options, info);
    return std::string();
  };
  return CLI::Validator(check, shown);
}

CLI::Option* add(CLI::App& run, NodeOptions& options, const OptionInfo& info) {
  const std::string flag(info.flag), help(info.help);
  if (const auto* yes = std::get_if<bool NodeOptions::*>(&info.field)) {
    return run.add_flag(flag, options.**yes, help);
  }
  if (const auto* number = std::get_if<std::uint64_t NodeOptions::*>(&info.field)) {
    return run.add_option(flag, options.**number, help)->transform(as_told_to_nodes(info));
  }
  std::string& word = options.*std::get<std::string NodeOptions::*>(info.field);
  if (!info.bare.empty()) {
    return run.add_flag(fmt::format("{}{{{}}}", flag, info.bare), word, help)
        ->transform(as_told_to_nodes(info));
  }
  return run.add_option(flag, word, help)->transform(as_told_to_nodes(info))->capture_default_str();
}

// "90", "15m" or "1h30m" becomes milliseconds.
CLI::Validator as_milliseconds() {
  const auto check = [](std::string& text) {
    const auto duration = parse_duration(text);
    if (!duration || duration->count() == 0) {
      return fmt::format("{} is no time, such as 90 (seconds), 15m or 1h30m", text);
    }
    text = std::to_string(duration->count());
    return std::string();
  };
  return CLI::Validator(check, "TIME");
}

// Of a path that means the same on all hosts.
CLI::Validator is_absolute() {
  const auto check = [](const std::string& text) {
    return text.starts_with('/') && text.find('\n') == std::string::npos
               ? std::string()
               : fmt::format("'{}' is not the absolute path of a folder", text);
  };
  return CLI::Validator(check, "");
}

// For these, the launcher stays with a job of one node, too (is_supervised).
void add_supervision(CLI::App& run, RunOptions& options) {
  run.add_flag("--label{all}", options.label,
               "Begin every line of output with its node, host and time; =node: with the node")
      ->check(CLI::IsMember({"all", "node"}));
  run.add_option("--output", options.output_folder,
                 "Keep each node's output in files of this folder, too")
      ->type_name("DIR");
  run.add_option("--timeout", options.timeout_ms,
                 "End the job after this time: 90 (seconds), 15m, 1h30m")
      ->transform(as_milliseconds())
      ->type_name("");
}

}  // namespace

void add_host_options(CLI::App& command, RunOptions& options) {
  CLI::Option* const hosts =
      command
          .add_option("--hosts", options.hosts, "Hosts to run on: a,b:2 is one node on a, two on b")
          ->type_name("HOST[:N],...")
          ->envname("WEFT_HOSTS");
  command
      .add_option("--hostfile", options.hostfile,
                  "The same, in a file as mpirun or mpiexec take it")
      ->type_name("FILE")
      ->envname("WEFT_HOSTFILE")
      ->excludes(hosts);
  command
      .add_option("--net", options.network,
                  "The network between hosts, such as eth0 or 10.1.0.0/16")
      ->type_name("INTERFACE|CIDR,...")
      ->envname("WEFT_NET");
}

CLI::App* add_run_command(CLI::App& app, RunOptions& options) {
  CLI::App* const run = app.add_subcommand("run", "Run a program on several nodes");
  CLI::Option* const nodes = run->add_option("-n,--nodes", options.nodes, "Number of nodes")
                                 ->check(CLI::Range(std::size_t{1}, kMaxNodes));
  run->add_flag("--per-numa", options.per_numa, "A node for each NUMA domain of the hosts")
      ->excludes(nodes);
  run->add_option("-t,--threads", options.threads, "OpenMP threads of each node")
      ->check(CLI::Range(1, 4096));
  add_host_options(*run, options);
  run->add_option("--fanout", options.fanout,
                  "Hosts that one host reaches by ssh; 0: this one reaches all")
      ->envname("WEFT_FANOUT")
      ->capture_default_str();
  run->add_flag("--stage{/tmp}", options.stage,
                "Copy the program to the hosts, into a fresh folder in /tmp; =DIR: in that")
      ->check(is_absolute())
      ->type_name("DIR")
      ->envname("WEFT_STAGE");
  run->add_flag("--binding", options.joins_itself,
                "The program joins by itself, as a Python script does that imports weft");
  run->add_option("--bind", options.bind, "Processors of each node, where a host has several nodes")
      ->check(CLI::IsMember(std::vector<std::string>(kBindings.begin(), kBindings.end())))
      ->envname("WEFT_BIND")
      ->capture_default_str();
  for (const OptionInfo& info : option_table()) {
    if (!info.flag.empty()) add(*run, options.node, info)->envname(info.variable);
  }
  run->add_option("--grace", options.grace_seconds,
                  "Seconds from SIGINT, SIGTERM, SIGHUP or SIGQUIT to the end; 0: for ever")
      ->envname("WEFT_GRACE")
      ->capture_default_str();
  run->add_option("--deadlock", options.deadlock,
                  "Where all threads wait for each other: report it, abort the job, or off")
      ->check(CLI::IsMember({"report", "abort", "off"}))
      ->envname("WEFT_DEADLOCK")
      ->capture_default_str();
  add_supervision(*run, options);
  run->add_option("--look-ms", options.look_ms)->check(CLI::Range(1, 60'000))->group("");
  run->add_option("--node-library", options.node_library)->group("");  // for tests: not shown
  run->add_option("command", options.command, "Program and its arguments")
      ->required()
      ->type_name("PROGRAM [ARGS...]");
  // Options after the program are the program's.
  run->positionals_at_end();
  run->prefix_command();
  return run;
}

Binding RunOptions::binding() const {
  return static_cast<Binding>(std::ranges::find(kBindings, bind) - kBindings.begin());
}

Status check_node_count(unsigned nodes) {
  if (nodes <= kMaxNodes) return {};
  return Failure{fmt::format("{} nodes are more than the {} that there may be", nodes, kMaxNodes)};
}

Result<unsigned> decide_threads(const RunOptions& options, unsigned nodes,
                                const char* omp_num_threads, unsigned processors_per_node) {
  if (options.threads != 0) return options.threads;
  if (omp_num_threads == nullptr || *omp_num_threads == '\0') {
    return processors_per_node;
  }
  // A list gives the numbers of nested levels; the first is that of the outermost.
  const std::string_view text(omp_num_threads);
  unsigned all = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), all);
  const bool clean = stop == text.data() + text.size() || *stop == ',';
  if (error != std::errc() || !clean || all == 0) {
    return Failure{fmt::format("OMP_NUM_THREADS={} is not a number of threads", text)};
  }
  return (all + nodes - 1) / nodes;
}

unsigned lost_after_seconds(const RunOptions& options) {
  constexpr std::uint64_t kYear = 31'536'000;
  return static_cast<unsigned>(std::min(options.node.lost_after, kYear));
}

std::map<std::string, std::string> option_environment(const RunOptions& options) {
  std::map<std::string, std::string> variables;
  for (const OptionInfo& info : option_table()) {
    if (info.flag.empty()) continue;  // nodes find the user's own
    const std::string text = text_of(options.node, info);
    const bool is_default = text == text_of(NodeOptions(), info);
    if (!is_default || std::getenv(info.variable) != nullptr) variables[info.variable] = text;
  }
  return variables;
}

}  // namespace weft
