// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/agent/agent.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "weft/agent/agent_messages.hpp"
#include "weft/agent/agent_process.hpp"
#include "weft/agent/doctor_answers.hpp"
#include "weft/agent/frame_link.hpp"
#include "weft/agent/host_facts.hpp"
#include "weft/agent/hosts_below.hpp"
#include "weft/nodes/descendants.hpp"
#include "weft/nodes/local_nodes.hpp"
#include "weft/nodes/program.hpp"
#include "weft/nodes/variables.hpp"

extern char** environ;

namespace weft {
namespace {

constexpr int kFailed = 1;
constexpr const char* kNoLauncher = "what it was sent is not from a launcher of its version";

std::string_view text(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
ByteView bytes(std::string_view characters) { return std::as_bytes(std::span(characters)); }

// What the nodes find as they would on the launcher's host; a sentence if this host has it not.
std::string take_over_surroundings(const AgentPlan& plan) {
  if (chdir(plan.folder.c_str()) != 0) {
    return fmt::format("{}, the folder in which `weft run` was started: {}", plan.folder,
                       std::strerror(errno));
  }
  umask(static_cast<mode_t>(plan.file_mask));
  rlimit stack = {};
  getrlimit(RLIMIT_STACK, &stack);
  stack.rlim_cur = plan.stack_limit;
  if (setrlimit(RLIMIT_STACK, &stack) != 0) {
    return fmt::format("stacks of {} bytes (ulimit -s), as on the launcher's host: {}",
                       plan.stack_limit, std::strerror(errno));
  }
  clearenv();
  for (const std::string& each : plan.environment) {
    if (const auto variable = variable_of(each))
      setenv(variable->name.c_str(), variable->value.c_str(), 1);
  }
  return {};
}

std::string why_not_here(const AgentPlan& plan) {
  for (const std::string& file : {plan.file, plan.node_library}) {
    if (access(file.c_str(), R_OK) != 0) {
      return fmt::format("{}: {}; every host needs the same files in the same place", file,
                         std::strerror(errno));
    }
  }
  for (const std::string& library : plan.libraries) {
    if (access(library.c_str(), R_OK) != 0) {
      return fmt::format(
          "{}: {}; the program needs it, and --stage leaves to the host what its distribution has. "
          "Install it there",
          library, std::strerror(errno));
    }
  }
  return plan.joins_itself ? std::string() : why_not_a_node(plan.file);
}

// The kernel's own limit for the number of a processor is far below.
bool makes_sense(const AgentPlan& plan) {
  constexpr unsigned kMostProcessors = 1U << 16;
  return (plan.processors.empty() || plan.processors.size() == plan.nodes_here) &&
         std::ranges::all_of(plan.processors, [](const ProcessorSet& set) {
           return std::ranges::all_of(set, [](unsigned each) { return each < kMostProcessors; });
         });
}

// One job's share on this host, and the way to hosts below it.
class Agent final : private NodeEvents {
 public:
  Agent(int in, int out, const std::string& stage) : link_(in, out), below_(link_, stage) {}

  int run(const char* version) {
    AgentHello hello = facts_of_this_host(version);
    hello.processors = processors_of_this_process();
    link_.send(AgentMessage::kHello, to_bytes(hello));
    while (link_.is_open() && why_.empty()) {
      wait();
      link_.read_some();
      while (auto frame = link_.next()) handle(*frame);
      link_.show_life();
      if (link_.is_silent()) why_ = nothing_was_heard("the launcher", link_.limit());
      look_for_stopped();
    }
    if (!link_.makes_sense()) why_ = kNoLauncher;
    // The launcher reads this, and says which host it is.
    if (!why_.empty()) fmt::print(stderr, "its agent has ended: {}\n", why_);
    end();
    return why_.empty() ? 0 : kFailed;
  }

 private:
  void wait() {
    std::vector<pollfd> all = {{link_.in(), POLLIN, 0},
                               {link_.queued_bytes() > 0 ? link_.out() : -1, POLLOUT, 0},
                               {nodes_ && !link_.is_full() ? nodes_->descriptor() : -1, POLLIN, 0},
                               {input_.empty() ? -1 : input_end_, POLLOUT, 0},
                               {signals_, POLLIN, 0}};
    const std::size_t own = all.size();
    below_.add_to(all);
    const auto period = static_cast<int>(link_.period().count());
    poll(all.data(), all.size(), period == 0 ? -1 : period);
    if (all[1].revents != 0) link_.write_some();
    if (all[2].revents != 0) nodes_->handle(*this);
    if (all[3].revents != 0) pass_input();
    if (all[4].revents != 0) read_signal();
    below_.handle(std::span(all).subspan(own));
  }

  void read_signal() {
    signalfd_siginfo signal = {};
    if (read(signals_, &signal, sizeof signal) == sizeof signal)
      why_ = fmt::format("it was sent signal {}", signal.ssi_signo);
  }

  void look_for_stopped() {
    if (!nodes_ || link_.period().count() == 0) return;
    if (link_.is_excused()) return nodes_->excuse_stopped();
    if (FrameLink::Clock::now() < next_look_) return;
    next_look_ = FrameLink::Clock::now() + link_.period();
    nodes_->look_for_stopped(link_.limit(), *this);
  }

  void handle(const StreamFrame& frame) {
    switch (static_cast<AgentMessage>(frame.kind)) {
      case AgentMessage::kStart:
        if (const auto plan = from_bytes<AgentPlan>(frame.body); plan && makes_sense(*plan)) {
          return start(*plan);
        }
        break;
      case AgentMessage::kReach:
      case AgentMessage::kBelow:
        if (handle_for_below(frame)) return;
        break;
      case AgentMessage::kToAll:
        below_.send_to_all(AgentMessage::kToAll, frame.body);
        [[fallthrough]];
      case AgentMessage::kToNode:
      case AgentMessage::kSignal:
      case AgentMessage::kTaken:
      case AgentMessage::kCloseOutput:
      case AgentMessage::kLook:
        if (nodes_ && handle_for_nodes(frame)) return;
        break;
      case AgentMessage::kInput:
        return take_input(frame.body);
      case AgentMessage::kPause:
        return link_.excuse_silence();
      case AgentMessage::kAlive:
        return;
      default:
        if (const auto answer = doctor_.answer(static_cast<AgentMessage>(frame.kind), frame.body)) {
          return link_.send(answer->first, answer->second);
        }
        break;
    }
    why_ = kNoLauncher;
  }

  bool handle_for_below(const StreamFrame& frame) {
    if (static_cast<AgentMessage>(frame.kind) == AgentMessage::kReach) {
      const auto wanted = from_bytes<AgentReach>(frame.body);
      return wanted && below_.reach(*wanted);
    }
    const auto below = from_bytes<BelowFrame>(frame.body);
    return below && below_.pass_down(*below);
  }

  [[nodiscard]] bool is_here(unsigned node) const {
    return node >= first_ && node - first_ < count_;
  }

  bool handle_for_nodes(const StreamFrame& frame) {
    const auto kind = static_cast<AgentMessage>(frame.kind);
    if (kind == AgentMessage::kToNode || kind == AgentMessage::kToAll) {
      const auto message = from_bytes<NodeMessage>(frame.body);
      if (!message || (kind == AgentMessage::kToNode && !is_here(message->node))) return false;
      if (kind == AgentMessage::kToAll) {
        nodes_->send_to_all(message->kind, message->body);
      } else {
        nodes_->send(message->node, message->kind, message->body);
      }
      return true;
    }
    if (kind == AgentMessage::kSignal) {
      const auto wanted = from_bytes<NodeSignal>(frame.body);
      if (!wanted || !is_here(wanted->node)) return false;
      nodes_->signal(wanted->node, wanted->signal);
      return true;
    }
    if (kind == AgentMessage::kLook) {
      const auto question = from_bytes<ViewQuestion>(frame.body);
      if (question) nodes_->look(*question, *this);
      return question.has_value();
    }
    const auto stream = from_bytes<NodeStream>(frame.body);
    if (!stream || !is_here(stream->node) || (stream->stream & ~1) != 0) return false;
    if (kind == AgentMessage::kTaken) {
      nodes_->confirm_output(stream->node, stream->stream);
    } else {
      nodes_->close_output(stream->node, stream->stream);
    }
    return true;
  }

  void start(const AgentPlan& plan) {
    std::string refusal = nodes_ ? "the launcher asked twice" : take_over_surroundings(plan);
    if (refusal.empty()) refusal = why_not_here(plan);
    if (refusal.empty()) refusal = start_nodes(plan);
    if (!refusal.empty()) return link_.send(AgentMessage::kRefused, bytes(refusal));
    const std::chrono::milliseconds limit(plan.silence_limit_ms);
    link_.set_limit(limit);
    below_.set_limit(limit);
    link_.send(AgentMessage::kStarted, to_bytes(nodes_->pids()));
  }

  // A sentence if they cannot be started.
  std::string start_nodes(const AgentPlan& plan) {
    SpawnPlan spawn;
    spawn.file = plan.file;
    spawn.arguments = plan.arguments;
    spawn.node_library = plan.node_library;
    spawn.joins_itself = plan.joins_itself;
    spawn.nodes = plan.nodes;
    spawn.nodes_here = plan.nodes_here;
    spawn.processors = plan.processors;
    spawn.processors_here = plan.processors_here;
    spawn.threads = plan.threads;
    for (const std::string& each : plan.options) {
      if (const auto variable = variable_of(each))
        spawn.environment[variable->name] = variable->value;
    }
    sigemptyset(&spawn.signal_mask);
    getrlimit(RLIMIT_NOFILE, &spawn.descriptor_limit);
    int input[2] = {-1, -1};
    if (pipe2(input, O_CLOEXEC | O_NONBLOCK) != 0) return std::strerror(errno);
    fcntl(input[0], F_SETFL, 0);  // the node's end blocks, as a program expects
    spawn.input = input[0];
    auto started = LocalNodes::start(spawn, plan.first, plan.nodes_here);
    close(input[0]);
    input_end_ = input[1];
    if (!started) return started.error();
    nodes_ = std::move(started.value());
    nodes_->hold_output();
    first_ = plan.first;
    count_ = plan.nodes_here;
    return {};
  }

  void take_input(ByteView more) {
    if (more.empty()) input_has_ended_ = true;
    input_ += text(more);
    pass_input();
  }

  void pass_input() {
    while (input_end_ >= 0 && !input_.empty()) {
      const ssize_t count = write(input_end_, input_.data(), input_.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return;
      // Nobody reads it any more.
      input_.erase(0, count < 0 ? input_.size() : static_cast<std::size_t>(count));
    }
    if (!input_has_ended_ || input_end_ < 0) return;
    close(input_end_);
    input_end_ = -1;
  }

  // --- NodeEvents ---
  void on_message(unsigned node, BootstrapMessage kind, const Bytes& body) override {
    link_.send(AgentMessage::kFromNode, to_bytes(NodeMessage{node, kind, body}));
  }
  void on_output(unsigned node, int stream, std::string_view printed) override {
    nodes_->read_messages_of_others(
        node, *this);  // they were sent before this was printed, or may have been
    link_.send(AgentMessage::kOutput, to_bytes(NodeOutput{node, stream, std::string(printed)}));
  }
  void on_output_end(unsigned node, int stream) override {
    link_.send(AgentMessage::kOutputEnd, to_bytes(NodeStream{node, stream}));
  }
  void on_death(unsigned node, NodeDeath death) override {
    link_.send(AgentMessage::kDeath, to_bytes(NodeEnd{node, death}));
  }
  void on_views(const HostViews& views) override {
    link_.send(AgentMessage::kViews, to_bytes(views));
  }
  void on_host_lost(const NodeHost&, const std::string&) override {}

  void end() {
    below_.hang_up();
    if (nodes_) nodes_->signal_all(SIGKILL);
    below_.end();
    if (nodes_) nodes_->kill_all();
  }

  FrameLink link_;
  HostsBelow below_;
  std::unique_ptr<LocalNodes> nodes_;
  DoctorAnswers doctor_;
  unsigned first_ = 0, count_ = 0;
  std::string input_;   // for node 0, on its way
  int input_end_ = -1;  // of node 0's standard input
  bool input_has_ended_ = false;
  FrameLink::Clock::time_point next_look_;  // for stopped nodes
  std::string why_;  // it ends, though the launcher has not closed the stream
  const int signals_ = open_ends();

  // The signals that end an agent; what they would kill is killed in order.
  static int open_ends() {
    sigset_t set;
    sigemptyset(&set);
    for (const int each : {SIGHUP, SIGINT, SIGTERM, SIGQUIT}) sigaddset(&set, each);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  }
};

}  // namespace

int serve_as_agent(const char* version, const std::string& stage) {
  // The stream gets descriptors of its own: what a library prints by mistake must not mix with it.
  const int in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  const int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (in < 0 || out < 0 || nothing < 0 || isatty(in) != 0) {
    fmt::print(stderr, "weft: `weft agent` is started by `weft run` alone\n");
    return kFailed;
  }
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  adopt_descendants();
  return Agent(in, out, stage).run(version);
}

}  // namespace weft
