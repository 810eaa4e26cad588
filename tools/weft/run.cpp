// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/run.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "weft/descendants.hpp"
#include "weft/program.hpp"
#include "weft/spawn.hpp"
#include "weft/supervise.hpp"

namespace weft {
namespace {

constexpr int kUsage = 2;
constexpr int kCannotRun = 126;  // as a shell says it
constexpr int kNotFound = 127;

int complain(int status, const std::string& sentence) {
  fmt::print(stderr, "weft: {}\n", sentence);
  return status;
}

unsigned usable_processors() {
  cpu_set_t processors;
  if (sched_getaffinity(0, sizeof processors, &processors) != 0) return 1;
  return static_cast<unsigned>(CPU_COUNT(&processors));
}

// libweft-node.so is in the folder lib beside this command's folder, built or installed.
std::string default_node_library() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path().parent_path() / "lib" / "libweft-node.so").string();
}

Result<std::string> node_library(const RunOptions& options) {
  const std::string file =
      options.node_library.empty() ? default_node_library() : options.node_library;
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

int start_and_supervise(const RunOptions& options, SpawnPlan plan) {
  adopt_descendants();
  plan.signal_mask = take_signals();
  plan.descriptor_limit = allow_many_descriptors();
  std::vector<NodeProcess> nodes;
  for (unsigned node = 0; node < plan.nodes; ++node) {
    auto started = spawn_node(plan, node);
    if (!started) {
      for (const NodeProcess& each : nodes) kill(each.pid, SIGKILL);
      kill_descendants();
      return complain(kCannotRun, started.error());
    }
    nodes.push_back(started.value());
  }
  JobOptions job;
  job.grace_seconds = options.grace_seconds;
  job.label = options.label;
  return JobSupervisor(std::move(nodes), job).run();
}

}  // namespace

int run_job(RunOptions options) {
  SpawnPlan plan;
  const char* const path = std::getenv("PATH");
  auto program = find_program(options.command.at(0), path == nullptr ? "/usr/bin:/bin" : path);
  if (!program) return complain(kNotFound, program.error());
  plan.file = program.value();
  if (const std::string reason = why_not_a_node(plan.file); !reason.empty()) {
    return complain(kCannotRun, reason);
  }
  const auto threads = decide_threads(options, std::getenv("OMP_NUM_THREADS"), usable_processors());
  if (!threads) return complain(kUsage, threads.error());
  plan.nodes = options.nodes;
  plan.threads = threads.value();
  plan.arguments = options.command;
  if (options.node.verbose) {
    complain(0, fmt::format("{} nodes with {} threads each", plan.nodes, plan.threads));
  }
  if (plan.nodes == 1) return complain(kCannotRun, execute_plainly(plan));
  if (const std::string reason = why_not_several(plan.file); !reason.empty()) {
    return complain(kCannotRun, reason);
  }
  const auto library = node_library(options);
  if (!library) return complain(kCannotRun, library.error());
  plan.node_library = library.value();
  plan.environment = option_environment(options);
  return start_and_supervise(options, std::move(plan));
}

}  // namespace weft
