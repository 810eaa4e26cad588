// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/task/task.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/codec.hpp"
#include "base/ids.hpp"
#include "runtime/bootstrap/bootstrap_wire.hpp"
#include "runtime/bootstrap/this_host.hpp"
#include "runtime/options/options.hpp"
#include "weft/job/job.hpp"
#include "weft/launchers/launcher_link.hpp"
#include "weft/nodes/descendants.hpp"
#include "weft/nodes/local_nodes.hpp"
#include "weft/nodes/program.hpp"
#include "weft/nodes/variables.hpp"
#include "weft/task/task_facts.hpp"
#include "weft/task/task_node.hpp"
#include "weft/task/task_wishes.hpp"

extern char** environ;

namespace weft {
namespace {

constexpr int kCannotRun = 126;

int complain(const std::string& sentence) {
  fmt::print(stderr, "weft: {}\n", sentence);
  return kCannotRun;
}

// What this task alone can tell to be wrong; said once, by the first task that has it.
std::string why_no_node(const TaskProgram& program, unsigned tasks) {
  if (tasks > kMaxNodes) {
    return fmt::format("{} nodes are more than the {} that there may be", tasks, kMaxNodes);
  }
  const std::string reason = program.joins_itself ? std::string() : why_not_several(program.file);
  if (!reason.empty()) return reason;
  const auto options = options_from_environment();
  if (!options) return options.error();
  const auto wishes = wishes_from_environment();
  return wishes ? "" : wishes.error();
}

std::set<int> open_descriptors() {
  std::set<int> all;
  std::error_code error;
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    all.insert(std::atoi(each.path().filename().c_str()));
  }
  return all;
}

// The link's own descriptors are nothing for the program; those that it was started with are.
Result<std::unique_ptr<LauncherLink>> connect_privately() {
  const std::set<int> before = open_descriptors();
  auto launcher = LauncherLink::connect();
  for (const int each : open_descriptors()) {
    if (!before.contains(each)) fcntl(each, F_SETFD, FD_CLOEXEC);
  }
  return launcher;
}

std::set<std::string> launchers_variables() {
  std::set<std::string> names;
  for (char** each = environ; *each != nullptr; ++each) {
    const auto variable = variable_of(*each);
    if (variable && tells_of_launcher(variable->name)) names.insert(variable->name);
  }
  return names;
}

Result<std::vector<TaskFacts>> facts_of_all(LauncherLink& launcher, const TaskFacts& mine) {
  auto exchanged = launcher.exchange(to_bytes(mine));
  if (!exchanged) return Failure{exchanged.error()};
  std::vector<TaskFacts> all;
  for (const Bytes& each : exchanged.value()) {
    TaskFacts facts;
    if (!from_bytes(each, facts)) {
      return Failure{fmt::format("task {} says what no task of this Weft says", all.size())};
    }
    all.push_back(std::move(facts));
  }
  return all;
}

// For a task that fails alone.
int end_all(LauncherLink& launcher, const std::string& sentence) {
  complain(sentence);
  launcher.abort(kCannotRun, sentence);
  return kCannotRun;
}

// For tasks that all have come to the same conclusion.
int leave_together(LauncherLink& launcher, const std::string& sentence) {
  const bool is_first = launcher.rank() == 0;
  if (is_first) complain(sentence);
  launcher.leave();
  return is_first ? kCannotRun : 0;
}

// A launcher that starts but one task, and could not say so in the environment.
int run_plainly(LauncherLink& launcher, const TaskProgram& program, const sigset_t& signals) {
  launcher.leave();
  setenv("WEFT_NODES", "1", 1);
  signal(SIGPIPE, SIG_DFL);
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  execv(program.file, program.arguments);
  return complain(fmt::format("cannot run {}: {}", program.file, std::strerror(errno)));
}

SpawnPlan plan_of(const TaskProgram& program, unsigned tasks, const TaskDecision& decision) {
  SpawnPlan plan;
  plan.file = program.file;
  plan.joins_itself = program.joins_itself;
  for (char** each = program.arguments; *each != nullptr; ++each)
    plan.arguments.emplace_back(*each);
  plan.nodes = tasks;
  plan.threads = decision.threads;
  plan.nodes_here = static_cast<unsigned>(decision.nodes_here.size());
  plan.processors_here = decision.processors_here;
  plan.environment[kNetDevicesVariable] = decision.network.interface;
  plan.environment[kNetAddressVariable] = decision.network.address;
  plan.hidden_variables = launchers_variables();
  plan.passes_output = true;
  getrlimit(RLIMIT_NOFILE, &plan.descriptor_limit);
  return plan;
}

void say_what_was_chosen(const LauncherLink& link, const TaskDecision& decision) {
  const auto options = options_from_environment();
  if (!options || !options.value().verbose) return;
  if (link.rank() == 0) {
    fmt::print(stderr, "weft: {} nodes with {} threads each, started by {}\n", link.size(),
               decision.threads, link.protocol());
  }
  if (decision.network.interface.empty()) return;
  fmt::print(stderr, "weft: node {} is on host {}: {} nodes there, {} processors, network {}\n",
             link.rank(), host_name(), decision.nodes_here.size(), decision.processors_here,
             decision.network.interface);
}

}  // namespace

int run_task(const TaskProgram& program, const char* version) {
  // What started this process, be it a shell on behalf of the launcher, takes it along.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  adopt_descendants();
  const sigset_t signals = take_signals();
  auto launcher = connect_privately();
  if (!launcher) return complain(launcher.error());
  LauncherLink& link = *launcher.value();
  if (link.size() == 1) return run_plainly(link, program, signals);

  TaskFacts facts = facts_of_this_task(version);
  facts.refusal = why_no_node(program, link.size());
  const auto library =
      library_beside_command(program.joins_itself ? kBindingLibrary : kNodeLibrary);
  if (!library && facts.refusal.empty()) facts.refusal = library.error();
  const auto all = facts_of_all(link, facts);
  if (!all) return end_all(link, all.error());
  const auto decision = decide_for_task(all.value(), link.rank());
  if (!decision) return leave_together(link, decision.error());
  say_what_was_chosen(link, decision.value());
  SpawnPlan plan = plan_of(program, link.size(), decision.value());
  plan.node_library = library.value();
  plan.signal_mask = signals;
  auto started = LocalNodes::start(plan, link.rank(), 1);
  if (!started) return end_all(link, started.error());
  return TaskNode(link, *started.value(),
                  {.command = plan.arguments,
                   .nodes_here = decision.value().nodes_here,
                   .first_host = all.value().front().host.host,
                   .wishes = wishes_from_environment().value(),
                   .joins_itself = program.joins_itself,
                   .version = version})
      .run();
}

}  // namespace weft
