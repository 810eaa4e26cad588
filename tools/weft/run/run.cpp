// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/run/run.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/ids.hpp"
#include "runtime/bootstrap/this_host.hpp"
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

// libweft-node.so is in the folder lib beside this command's folder, built or installed.
std::string default_node_library() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path().parent_path() / "lib" / "libweft-node.so").string();
}

Result<std::string> readable_library(const std::string& file) {
  if (access(file.c_str(), R_OK) == 0) return std::filesystem::absolute(file).string();
  return Failure{fmt::format("{} is missing; Weft is not completely built or installed", file)};
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

Result<HostedStart> start_here(const SpawnPlan& plan) {
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

Result<JobOptions> job_options(const RunOptions& options, unsigned nodes) {
  JobOptions job;
  job.grace_seconds = options.grace_seconds;
  job.timeout = std::chrono::milliseconds(options.timeout_ms);
  job.label.node = !options.label.empty();
  job.label.host = job.label.time = options.label == "all";
  job.look_period = std::chrono::milliseconds(options.look_ms);
  using Deadlock = JobOptions::Deadlock;
  if (options.deadlock == "abort") job.deadlock = Deadlock::kAbort;
  if (options.deadlock == "off") job.deadlock = Deadlock::kOff;
  job.command = options.command;
  if (!options.output_folder.empty()) {
    auto files = OutputFiles::create(options.output_folder, nodes);
    if (!files) return Failure{files.error()};
    job.files = std::move(files.value());
  }
  return job;
}

// A job without a socket runs as well as any other.
std::unique_ptr<JobSocket> open_socket(const char* version) {
  auto socket = JobSocket::open(version);
  if (socket) return std::move(socket.value());
  complain(0, fmt::format("`weft ps` cannot show this job: {}", socket.error()));
  return nullptr;
}

int start_and_supervise(const RunOptions& options, const std::vector<Placement>& placements,
                        SpawnPlan plan, const char* version) {
  adopt_descendants();
  plan.signal_mask = take_signals();
  plan.descriptor_limit = allow_many_descriptors();
  auto opened = job_options(options, plan.nodes);
  if (!opened) return complain(kCannotRun, opened.error());
  JobOptions& job = opened.value();
  auto started = placements.empty() ? start_here(plan)
                                    : start_on_hosts(options, placements, std::move(plan), version);
  if (!started) return complain(kCannotRun, started.error());
  if (started.value().ended_by != 0) return 128 + started.value().ended_by;
  job.socket = open_socket(version);
  return JobSupervisor(std::move(started.value().hosts), std::move(job)).run();
}

unsigned count_nodes(const RunOptions& options, const std::vector<Placement>& placements) {
  unsigned nodes = placements.empty() ? std::max(1U, options.nodes) : 0;
  for (const Placement& each : placements) nodes += each.nodes;
  return nodes;
}

}  // namespace

Result<std::string> node_library_beside_command() {
  return readable_library(default_node_library());
}

int run_job(const RunOptions& options, const char* version) {
  auto placements = place_nodes(options);
  if (!placements) return complain(kUsage, placements.error());
  SpawnPlan plan;
  plan.nodes = plan.nodes_here = count_nodes(options, placements.value());
  if (plan.nodes > kMaxNodes) {
    return complain(kUsage, fmt::format("{} nodes are more than the {} that there may be",
                                        plan.nodes, kMaxNodes));
  }
  if (are_all_here(placements.value())) placements.value().clear();
  const bool is_here = placements.value().empty();
  const char* const path = std::getenv("PATH");
  auto program = find_program(options.command.at(0), path == nullptr ? "/usr/bin:/bin" : path);
  if (!program) return complain(kNotFound, program.error());
  plan.file = program.value();
  if (const std::string reason = why_not_a_node(plan.file); !reason.empty()) {
    return complain(kCannotRun, reason);
  }
  const unsigned processors = std::max(1U, usable_processors() / plan.nodes);
  const auto threads =
      decide_threads(options, plan.nodes, std::getenv("OMP_NUM_THREADS"), processors);
  if (!threads) return complain(kUsage, threads.error());
  plan.threads = threads.value();
  plan.arguments = options.command;
  if (options.node.verbose && is_here) {
    complain(0, fmt::format("{} nodes with {} threads each", plan.nodes, plan.threads));
  }
  if (plan.nodes == 1 && is_here) {
    if (!is_supervised(options)) return complain(kCannotRun, execute_plainly(plan));
    plan.is_plain = true;
    return start_and_supervise(options, {}, std::move(plan), version);
  }
  if (const std::string reason = why_not_several(plan.file); !reason.empty()) {
    return complain(kCannotRun, reason);
  }
  const auto library = options.node_library.empty() ? node_library_beside_command()
                                                    : readable_library(options.node_library);
  if (!library) return complain(kCannotRun, library.error());
  plan.node_library = library.value();
  plan.environment = option_environment(options);
  return start_and_supervise(options, placements.value(), std::move(plan), version);
}

}  // namespace weft
