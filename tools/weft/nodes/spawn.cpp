// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/nodes/spawn.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "runtime/bootstrap/bootstrap_wire.hpp"
#include "weft/nodes/variables.hpp"

extern char** environ;

namespace weft {
namespace {

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& each : strings) result.push_back(each.data());
  result.push_back(nullptr);
  return result;
}

// The launcher's environment with the given variables added or replaced, and without the hidden.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& added,
                                          const std::set<std::string>& hidden) {
  std::vector<std::string> result;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string entry = *each;
    const auto variable = variable_of(entry);
    const bool is_replaced =
        variable && (added.contains(variable->name) || hidden.contains(variable->name));
    if (!is_replaced) result.push_back(entry);
  }
  for (const auto& [name, value] : added) result.push_back(name + "=" + value);
  return result;
}

void preload_node_library(const SpawnPlan& plan, std::map<std::string, std::string>& variables) {
  if (std::getenv("LD_BIND_NOW") == nullptr) variables["LD_BIND_NOW"] = kBindNow;
  variables["LD_PRELOAD"] = plan.node_library;
  if (const char* const preload = std::getenv("LD_PRELOAD")) {
    variables[kUserPreloadVariable] = preload;
    if (*preload != '\0') variables["LD_PRELOAD"] += std::string(":") + preload;
  }
}

std::map<std::string, std::string> node_variables(const SpawnPlan& plan, unsigned node, int link,
                                                  int board) {
  std::map<std::string, std::string> variables = plan.environment;
  variables[kBootstrapDescriptorVariable] = std::to_string(link);
  variables[kBoardDescriptorVariable] = std::to_string(board);
  variables[kNodeVariable] = std::to_string(node);
  variables[kNodeCountVariable] = std::to_string(plan.nodes);
  variables[kNodesHereVariable] = std::to_string(plan.nodes_here);
  variables[kThreadsVariable] = std::to_string(plan.threads);
  if (plan.processors_here != 0) {
    variables[kProcessorsHereVariable] = std::to_string(plan.processors_here);
  }
  if (plan.joins_itself) {
    variables[kBindingVariable] = plan.node_library;
    if (std::getenv("LD_PRELOAD") != nullptr)
      variables[kUserPreloadVariable] = std::getenv("LD_PRELOAD");
  } else {
    preload_node_library(plan, variables);
  }
  return variables;
}

// As the kernel takes it.
std::vector<unsigned long> mask_of(const ProcessorSet& processors) {
  constexpr unsigned kBits = 8 * sizeof(unsigned long);
  std::vector<unsigned long> mask;
  for (const unsigned each : processors) {
    if (mask.size() <= each / kBits) mask.resize(each / kBits + 1);
    mask[each / kBits] |= 1UL << (each % kBits);
  }
  return mask;
}

// The program alone: the job of one node.
std::vector<std::string> plain_environment(const SpawnPlan& plan) {
  // What the user says of the threads stays as it is: it may be a list, for nested regions.
  std::map<std::string, std::string> added;
  if (std::getenv("OMP_NUM_THREADS") == nullptr) {
    added["OMP_NUM_THREADS"] = std::to_string(plan.threads);
  }
  // Under a launcher of several tasks the program would take itself for a node of theirs.
  for (const char* name : {"PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    if (std::getenv(name) != nullptr) added[kNodeCountVariable] = "1";
  }
  return environment_with(added, {});
}

// Everything that the child needs between fork and exec, where nothing may be allocated.
struct Child {
  const char* file = nullptr;
  std::vector<char*> arguments, environment;
  pid_t launcher = -1;
  int input = -1, output = -1, error = -1, link = -1, board = -1;
  int complaint = -1;  // where errno goes if exec fails; closed by exec
  bool own_group = false;
  std::vector<unsigned long> processors;  // a bit each; empty: as the launcher
  bool is_plain = false;
  bool fixes_addresses = false;
  sigset_t signal_mask = {};
  rlimit descriptor_limit = {};
};

// What a child says that cannot become a node.
struct Complaint {
  char stage[40] = {};
  int reason = 0;
};

[[noreturn]] void complain_and_exit(const Child& child, const char* stage) {
  Complaint complaint;
  complaint.reason = errno;
  strncpy(complaint.stage, stage, sizeof complaint.stage - 1);
  (void)!write(child.complaint, &complaint, sizeof complaint);
  _exit(127);
}

// A node has both; the program alone would not know what they are.
bool hands_over_links(const Child& child) {
  return child.is_plain ||
         (fcntl(child.link, F_SETFD, 0) == 0 && fcntl(child.board, F_SETFD, 0) == 0);
}

[[noreturn]] void become_node(const Child& child) {
  // A launcher that died before this call sends no signal; its place is then taken by another.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != child.launcher) _exit(127);
  if (child.own_group) setpgid(0, 0);
  if (child.fixes_addresses && personality(ADDR_NO_RANDOMIZE) < 0) {
    complain_and_exit(child, "switch address randomisation off");
  }
  if ((child.input >= 0 && dup2(child.input, STDIN_FILENO) < 0) ||
      (child.output >= 0 && dup2(child.output, STDOUT_FILENO) < 0) ||
      (child.error >= 0 && dup2(child.error, STDERR_FILENO) < 0) || !hands_over_links(child)) {
    complain_and_exit(child, "arrange its descriptors");
  }
  if (!child.processors.empty() &&
      sched_setaffinity(0, child.processors.size() * sizeof(unsigned long),
                        reinterpret_cast<const cpu_set_t*>(child.processors.data())) != 0) {
    complain_and_exit(child, "be bound to its processors");
  }
  setrlimit(RLIMIT_NOFILE, &child.descriptor_limit);
  signal(SIGPIPE, SIG_DFL);
  sigprocmask(SIG_SETMASK, &child.signal_mask, nullptr);
  execve(child.file, child.arguments.data(), child.environment.data());
  complain_and_exit(child, "execute the program");
}

// The pairs of descriptors between launcher and node; the node's ends close with this.
struct Ends {
  int output[2] = {-1, -1}, error[2] = {-1, -1}, link[2] = {-1, -1}, complaint[2] = {-1, -1};
  int input = -1;  // of nodes that do not get the launcher's standard input

  ~Ends() {
    for (const int each : {output[1], error[1], link[1], complaint[0], complaint[1], input}) {
      if (each >= 0) close(each);
    }
  }
  // `given`: a descriptor to read standard input from, or -1 for none.
  [[nodiscard]] bool open(bool inherits_input, int given, bool passes_output) {
    if (!inherits_input) {
      input = given < 0 ? ::open("/dev/null", O_RDONLY | O_CLOEXEC)
                        : fcntl(given, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    }
    const bool has_streams =
        passes_output || (pipe2(output, O_CLOEXEC) == 0 && pipe2(error, O_CLOEXEC) == 0);
    return (inherits_input || input >= 0) && has_streams && pipe2(complaint, O_CLOEXEC) == 0 &&
           socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, link) == 0;
  }
};

// Nothing once exec has succeeded.
std::optional<Complaint> wait_for_exec(Ends& ends) {
  close(ends.complaint[1]);
  ends.complaint[1] = -1;
  Complaint complaint;
  ssize_t count = 0;
  do {
    count = read(ends.complaint[0], &complaint, sizeof complaint);
  } while (count < 0 && errno == EINTR);
  if (count != sizeof complaint) return std::nullopt;
  return complaint;
}

NodeProcess launcher_side(pid_t pid, const Ends& ends, bool own_group) {
  NodeProcess node;
  node.pid = pid;
  node.has_own_group = own_group;
  node.death = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  node.link = ends.link[0];
  node.streams[0] = ends.output[0];
  node.streams[1] = ends.error[0];
  for (const int stream : node.streams) {
    if (stream >= 0) fcntl(stream, F_SETFL, O_NONBLOCK);
  }
  return node;
}

}  // namespace

Result<NodeProcess> spawn_node(const SpawnPlan& plan, unsigned node,
                               const ProcessorSet& processors) {
  Ends ends;
  const bool inherits_input = node == 0 && plan.input < 0;
  if (!ends.open(inherits_input, node == 0 ? plan.input : -1, plan.passes_output)) {
    return Failure{fmt::format("cannot make pipes for node {}: {}", node, std::strerror(errno))};
  }
  Result<board::BoardFile> shown = board::BoardFile::create();
  if (!shown) return Failure{shown.error()};
  std::vector<std::string> arguments = plan.arguments;
  std::vector<std::string> environment =
      plan.is_plain
          ? plain_environment(plan)
          : environment_with(node_variables(plan, node, ends.link[1], shown.value().descriptor()),
                             plan.hidden_variables);
  Child child;
  child.file = plan.file.c_str();
  child.arguments = pointers(arguments);
  child.environment = pointers(environment);
  child.launcher = getpid();
  child.input = ends.input;
  child.output = ends.output[1];
  child.error = ends.error[1];
  child.link = ends.link[1];
  child.board = shown.value().descriptor();
  child.complaint = ends.complaint[1];
  // A process outside the terminal's group would be stopped when it reads from the terminal.
  child.own_group = !inherits_input || isatty(STDIN_FILENO) == 0;
  child.processors = mask_of(processors);
  child.is_plain = plan.is_plain;
  child.fixes_addresses = !plan.is_plain && !plan.joins_itself;
  child.signal_mask = plan.signal_mask;
  child.descriptor_limit = plan.descriptor_limit;

  const pid_t pid = fork();
  if (pid == 0) become_node(child);
  if (pid < 0) {
    return Failure{fmt::format("cannot start node {}: {}", node, std::strerror(errno))};
  }
  if (child.own_group) setpgid(pid, pid);
  if (const auto complaint = wait_for_exec(ends)) {
    waitpid(pid, nullptr, 0);
    return Failure{fmt::format("{}: node {} cannot {}: {}", plan.file, node, complaint->stage,
                               std::strerror(complaint->reason))};
  }
  NodeProcess process = launcher_side(pid, ends, child.own_group);
  process.board = std::move(shown.value());
  process.board.close_descriptor();
  return process;
}

std::string execute_plainly(const SpawnPlan& plan) {
  std::vector<std::string> arguments = plan.arguments;
  std::vector<std::string> environment = plain_environment(plan);
  execve(plan.file.c_str(), pointers(arguments).data(), pointers(environment).data());
  return fmt::format("cannot run {}: {}", plan.file, std::strerror(errno));
}

}  // namespace weft
