// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/scaling/command.hpp"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace weft::scaling {
namespace {

std::vector<std::string> pattern_names() {
  std::vector<std::string> names;
  for (const Pattern& pattern : all_patterns()) names.emplace_back(pattern.name);
  return names;
}

}  // namespace

void describe(CLI::App& app, std::string& network, StudyOptions& options) {
  app.add_option(
         "--network", network,
         "random: delays by chance, and everything checked; loggp: modelled times, and the\n"
         "sharing patterns of --program on --nodes")
      ->check(CLI::IsMember({"random", "loggp"}));
  const std::string group = "With --network loggp";
  app.add_option("--nodes", options.nodes, "Numbers of nodes, as in 16,64,256")
      ->delimiter(',')
      ->check(CLI::Range(1U, static_cast<unsigned>(kMaxNodes)))
      ->group(group);
  app.add_option("--program", options.programs, "Sharing patterns, as in jacobi,cg; default: all")
      ->delimiter(',')
      ->check(CLI::IsMember(pattern_names()))
      ->group(group);
  app.add_option("--iterations", options.iterations, "Count between so many and twice as many")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group(group);
  LogGP& model = options.model;
  const auto time = [&](const char* name, Nanoseconds& value, const char* text) {
    app.add_option(name, value, text)->capture_default_str()->group(group);
  };
  time("--latency-ns", model.latency, "L: on the wire");
  time("--overhead-ns", model.overhead, "o: of a processor, to send or to receive a message");
  time("--gap-ns", model.gap, "g: between messages of a node, at least");
  time("--fault-ns", model.fault, "a page fault, without what the engine does");
  time("--page-call-ns", model.page_call, "to map, unmap or compare a page");
  app.add_option("--bandwidth", model.bandwidth, "1/G: bytes a second, as in 5G")
      ->transform(CLI::AsSizeValue(true))
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group(group);
  app.add_flag("--json", options.as_json, "Print JSON")->group(group);
}

}  // namespace weft::scaling
