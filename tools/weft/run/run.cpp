// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/run/run.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "runtime/bootstrap/this_host.hpp"
#include "weft/hosts/reach.hpp"
#include "weft/job/job.hpp"
#include "weft/nodes/descendants.hpp"
#include "weft/nodes/local_nodes.hpp"
#include "weft/nodes/program.hpp"
#include "weft/nodes/spawn.hpp"
#include "weft/run/hosted_start.hpp"

namespace weft {
namespace {

constexpr int kUsage = 2;
constexpr int kCannotRun = 126;  // as a shell says it
constexpr int kNotFound = 127;

int complain(int status, const std::string& sentence) {
  fmt::print(stderr, "weft: {}\n", sentence);
  return status;
}

// The launcher needs four descriptors a node, which may be more than is allowed by default. Returns
// the limit before.
rlimit allow_many_descriptors() {
  rlimit before = {};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit most = {before.rlim_max, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &most);
  return before;
}

Result<HostedStart> start_here(const SpawnPlan& plan,
                               const std::function<Status(unsigned)>& prepare) {
  if (const Status status = prepare(plan.nodes); !status) return Failure{status.error()};
  auto started = LocalNodes::start(plan, 0, plan.nodes);
  if (!started) return Failure{started.error()};
  HostedStart result;
  result.hosts.push_back({.host = std::move(started.value()), .count = plan.nodes});
  return result;
}

// What the launcher does beside starting and ending the job: for this it stays, be it for one node.
bool is_supervised(const RunOptions& options) {
  return options.timeout_ms != 0 || !options.label.empty() || !options.output_folder.empty();
}

JobOptions job_options(const RunOptions& options) {
  JobOptions job;
  job.grace_seconds = options.grace_seconds;
  job.timeout = std::chrono::milliseconds(options.timeout_ms);
  job.label.node = !options.label.empty();
  job.label.host = job.label.time = options.label == "all";
  job.watch.look_period = std::chrono::milliseconds(options.look_ms);
  job.watch.deadlock = parse_on_deadlock(options.deadlock).value_or(OnDeadlock::kReport);
  job.watch.command = options.command;
  job.joins_itself = options.joins_itself;
  return job;
}

Status keep_output(const RunOptions& options, unsigned nodes, JobOptions& job) {
  if (options.output_folder.empty()) return {};
  auto files = OutputFiles::create(options.output_folder, nodes);
  if (!files) return Failure{files.error()};
  job.files = std::move(files.value());
  return {};
}

int start_and_supervise(const RunOptions& options, const std::vector<Placement>& placements,
                        SpawnPlan plan, const std::optional<Stage>& stage, const char* version) {
  adopt_descendants();
  plan.signal_mask = take_signals();
  const bool is_on_hosts = !placements.empty();
  plan.descriptor_limit = allow_many_descriptors();
  JobOptions job = job_options(options);
  const auto prepare = [&](unsigned nodes) { return keep_output(options, nodes, job); };
  auto started = placements.empty() ? start_here(plan, prepare)
                                    : start_on_hosts(options, placements, std::move(plan), stage,
                                                     version, prepare);
  if (!started) return complain(kCannotRun, started.error());
  if (started.value().ended_by != 0) return 128 + started.value().ended_by;
  if (is_on_hosts) job.silence_limit = std::chrono::seconds(lost_after_seconds(options));
  job.watch.socket = open_job_socket(version);
  return JobSupervisor(std::move(started.value().hosts), std::move(job)).run();
}

// Of a job whose nodes are all here.
unsigned count_nodes_here(const RunOptions& options, const std::vector<Placement>& placements) {
  if (options.per_numa) return count_numa_domains(processors_of_this_process());
  unsigned nodes = placements.empty() ? std::max(1U, options.nodes) : 0;
  for (const Placement& each : placements) nodes += each.nodes;
  return nodes;
}

// A single node needs no look at the machine, which takes milliseconds.
Sharing share_this_host(const RunOptions& options, unsigned nodes) {
  if (nodes > 1) {
    return share_processors(processors_of_this_process(), 0, nodes, options.binding());
  }
  return {.usable = usable_processors(), .fewest = usable_processors(), .sets = {}, .unbound = {}};
}

// For a job whose nodes are all here: how many, their threads and their processors.
Status plan_this_host(const RunOptions& options, const std::vector<Placement>& placements,
                      SpawnPlan& plan) {
  plan.nodes = plan.nodes_here = count_nodes_here(options, placements);
  if (const Status status = check_node_count(plan.nodes); !status) return status;
  Sharing sharing = share_this_host(options, plan.nodes);
  const auto threads =
      decide_threads(options, plan.nodes, std::getenv("OMP_NUM_THREADS"), sharing.fewest);
  if (!threads) return Failure{threads.error()};
  plan.threads = threads.value();
  unbind_if_crowded(sharing, plan.nodes, plan.threads);
  plan.processors = sharing.sets;
  plan.processors_here = sharing.usable;
  const bool verbose = options.node.verbose;
  if (verbose) complain(0, fmt::format("{} nodes with {} threads each", plan.nodes, plan.threads));
  for (const auto& line : describe(sharing, host_name(), 0, options.binding(), verbose)) {
    complain(0, line);
  }
  return {};
}

// For hosts that lack them: what is to go there. The plan then has the paths there, which this host
// has, too, once the job starts.
Result<Stage> take_along(const RunOptions& options, SpawnPlan& plan) {
  auto stage = plan_stage({.parent = options.stage,
                           .program = plan.file,
                           .node_library = plan.node_library,
                           .weft = own_command(),
                           .arguments = plan.arguments,
                           .joins_itself = plan.joins_itself});
  if (!stage) return stage;
  const Stage& all = stage.value();
  plan.file = all.program;
  plan.node_library = all.node_library;
  plan.arguments = all.arguments;
  plan.environment["LD_LIBRARY_PATH"] = all.library_path;
  if (!all.python_path.empty()) plan.environment["PYTHONPATH"] = all.python_path;
  if (options.node.verbose) {
    complain(0, fmt::format("{} files go to {} on each host, {} MiB", all.file_count, all.folder,
                            all.stream->bytes() >> 20));
  }
  return stage;
}

// Who joins by itself may be any program.
std::string why_not_in_job(const SpawnPlan& plan, std::string (*judge)(const std::string& file)) {
  return plan.joins_itself ? std::string() : judge(plan.file);
}

Result<std::string> library_of_nodes(const RunOptions& options) {
  if (options.joins_itself) return library_beside_command(kBindingLibrary);
  if (!options.node_library.empty()) return readable_library(options.node_library);
  return library_beside_command(kNodeLibrary);
}

}  // namespace

int run_job(const RunOptions& options, const char* version) {
  auto placements = place_nodes(options);
  if (!placements) return complain(kUsage, placements.error());
  SpawnPlan plan;
  const bool is_here = are_all_here(placements.value());
  const char* const path = std::getenv("PATH");
  auto program = find_program(options.command.at(0), path == nullptr ? "/usr/bin:/bin" : path);
  if (!program) return complain(kNotFound, program.error());
  plan.file = program.value();
  plan.joins_itself = options.joins_itself;
  if (const std::string reason = why_not_in_job(plan, why_not_a_node); !reason.empty()) {
    return complain(kCannotRun, reason);
  }
  if (is_here) {
    const Status status = plan_this_host(options, placements.value(), plan);
    if (!status) return complain(kUsage, status.error());
    placements.value().clear();
  }
  plan.arguments = options.command;
  if (plan.nodes == 1 && is_here) {
    if (!is_supervised(options)) return complain(kCannotRun, execute_plainly(plan));
    plan.is_plain = true;
    return start_and_supervise(options, {}, std::move(plan), {}, version);
  }
  if (const std::string reason = why_not_in_job(plan, why_not_several); !reason.empty()) {
    return complain(kCannotRun, reason);
  }
  const auto library = library_of_nodes(options);
  if (!library) return complain(kCannotRun, library.error());
  plan.node_library = library.value();
  plan.environment = option_environment(options);
  std::optional<Stage> stage;
  if (!options.stage.empty() && !is_here) {
    auto planned = take_along(options, plan);
    if (!planned) return complain(kCannotRun, planned.error());
    stage = std::move(planned.value());
  }
  return start_and_supervise(options, placements.value(), std::move(plan), stage, version);
}

}  // namespace weft
