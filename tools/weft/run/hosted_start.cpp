// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/run/hosted_start.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <numeric>
#include <utility>

#include "base/ids.hpp"
#include "weft/agent/host_facts.hpp"
#include "weft/hosts/network.hpp"
#include "weft/hosts/reach.hpp"
#include "weft/nodes/local_nodes.hpp"
#include "weft/run/host_tree.hpp"

extern char** environ;

namespace weft {
namespace {

using Clock = std::chrono::steady_clock;

// Between signs of life to hosts that have started, while others have not.
constexpr std::int64_t kLifeMs = 200;

// Between words about files that are being sent.
constexpr std::chrono::seconds kWordPeriod{2};

// One host while the job starts.
struct Starting {
  Placement placement;
  unsigned first = 0;                   // its first node
  std::unique_ptr<RemoteNodes> remote;  // nothing: this host
  std::unique_ptr<RemoteNodes> keeper;  // of the stage on this host
  std::unique_ptr<LocalNodes> local;    // once started
  AgentHello facts;
  Sharing sharing;

  [[nodiscard]] RemoteNodes* agent() const { return remote ? remote.get() : keeper.get(); }
  [[nodiscard]] bool has_answered() const { return agent() == nullptr || agent()->hello(); }
  [[nodiscard]] bool has_started() const { return !remote || remote->has_started(); }
};

std::vector<std::string> as_entries(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> entries;
  for (const auto& [name, value] : variables) entries.push_back(name + "=" + value);
  return entries;
}

class Start {
 public:
  Start(const RunOptions& options, SpawnPlan plan, const std::optional<Stage>& stage,
        const char* version, const std::function<Status(unsigned)>& prepare)
      : options_(options),
        plan_(std::move(plan)),
        stage_(stage),
        version_(version),
        prepare_(prepare),
        signals_(open_signals()) {}
  ~Start() { close(signals_); }
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;

  Result<HostedStart> run(const std::vector<Placement>& placements) {
    Status status = reach(placements);
    if (status) status = wait_until([](const Starting& each) { return each.has_answered(); });
    if (status && ended_by_ == 0) status = decide();
    if (status && ended_by_ == 0) status = prepare_(plan_.nodes);
    if (status && ended_by_ == 0) status = start_nodes();
    if (status && ended_by_ == 0) {
      status = wait_until([](const Starting& each) { return each.has_started(); });
    }
    if (!status || ended_by_ != 0) kill_local();
    if (!status) return Failure{status.error()};
    return hand_over();
  }

 private:
  Status reach(const std::vector<Placement>& placements) {
    std::vector<std::size_t> remote;  // numbers of the other hosts
    for (const Placement& each : placements) {
      Starting host;
      host.placement = each;
      if (each.is_here) {
        host.facts = facts_of_this_host(version_);
        host.facts.processors = processors_of_this_process();
        if (stage_ && !keeps_stage_) {
          if (const Status status = keep_stage(host); !status) return status;
        }
      } else {
        remote.push_back(hosts_.size());
        // srun starts one agent for each call, and inside an agent's step none.
        const unsigned fanout = each.slurm_processors != 0 ? 0 : options_.fanout;
        const auto way = reached_through(remote.size() - 1, fanout);
        const Status reached = reach(host, way ? hosts_[remote[*way]].remote.get() : nullptr);
        if (!reached) return reached;
      }
      hosts_.push_back(std::move(host));
    }
    return {};
  }

  // By the launcher's own process where `way` is null.
  Status reach(Starting& host, RemoteNodes* way) const {
    const Placement& where = host.placement;
    std::vector<std::string> command =
        command_of(where, options_, stage_ ? stage_->command() : command_of_agent());
    if (way != nullptr) {
      host.remote = RemoteNodes::reach_through(*way, where.host, std::move(command), !!stage_);
      return {};
    }
    auto reached =
        RemoteNodes::reach(where.host, std::move(command), stage_ ? stage_->stream : nullptr);
    if (!reached) return Failure{reached.error()};
    host.remote = std::move(reached.value());
    return {};
  }

  // This host's nodes are this process's children, and no agent's. But the shell that makes and
  // removes the stage is as on other hosts, and waits for the end of an agent.
  Status keep_stage(Starting& host) {
    keeps_stage_ = true;
    auto kept = RemoteNodes::reach(host.placement.host, stage_->command(), stage_->stream);
    if (!kept) return Failure{kept.error()};
    host.keeper = std::move(kept.value());
    return {};
  }

  // Until it holds for all other hosts, or the user gives up.
  template <typename Condition>
  Status wait_until(Condition&& holds) {
    const unsigned seconds = std::max(kStartSeconds, lost_after_seconds());
    auto limit = Clock::now() + std::chrono::seconds(seconds);
    while (ended_by_ == 0) {
      std::vector<pollfd> waiting = {{signals_, POLLIN, 0}};
      std::string missing;
      for (const Starting& each : hosts_) {
        if (each.remote) each.remote->show_life();
        if (holds(each)) continue;
        each.agent()->add_to(waiting);
        missing = each.placement.host;
      }
      if (missing.empty()) return {};
      if (look_at_staging()) limit = Clock::now() + std::chrono::seconds(seconds);
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(limit - Clock::now()).count();
      if (left <= 0) {
        return Failure{fmt::format("host {}: no answer within {} s", missing, seconds)};
      }
      poll(waiting.data(), waiting.size(), static_cast<int>(std::min<std::int64_t>(left, kLifeMs)));
      if (waiting.front().revents != 0) take_signal();
      for (Starting& each : hosts_) {
        if (holds(each)) continue;
        if (const Status status = advance(each); !status) return status;
      }
    }
    return {};
  }

  // Not every host may reach every other: the user's keys may be on this one alone.
  Status advance(Starting& host) const {
    RemoteNodes& agent = *host.agent();
    Status status = agent.advance();
    const bool may_be_reached_from_here = agent.is_through_another() && !agent.hello();
    return status || !may_be_reached_from_here ? status : reach(host, nullptr);
  }

  // True if more of the files has gone to a host since it was asked last.
  bool look_at_staging() {
    if (!stage_) return false;
    std::uint64_t progress = 0, sent = 0, all = 0;
    for (const Starting& each : hosts_) {
      const RemoteNodes* const agent = each.agent();
      if (agent == nullptr) continue;
      progress += agent->staging();
      sent += agent->staged_bytes();
      if (!agent->is_through_another()) all += stage_->stream->bytes();
    }
    if (options_.node.verbose && sent < all && Clock::now() >= next_word_) {
      next_word_ = Clock::now() + kWordPeriod;
      fmt::print(stderr, "weft: {} of {} MiB have been sent to hosts\n", sent >> 20, all >> 20);
    }
    return std::exchange(progress_, progress) != progress;
  }

  [[nodiscard]] unsigned lost_after_seconds() const { return weft::lost_after_seconds(options_); }

  void take_signal() {
    signalfd_siginfo info;
    if (read(signals_, &info, sizeof info) != sizeof info) return;
    if (asks_to_end(static_cast<int>(info.ssi_signo))) ended_by_ = static_cast<int>(info.ssi_signo);
  }

  // What follows from all hosts' answers.
  Status decide() {
    for (Starting& each : hosts_) {
      if (each.remote) each.facts = *each.remote->hello();
      if (each.facts.version != version_) {
        return Failure{fmt::format("host {} has Weft {}, and this host has {}; all need the same",
                                   each.placement.host, each.facts.version, version_)};
      }
    }
    if (const Status status = number_nodes(); !status) return status;
    if (const Status status = decide_threads_and_processors(); !status) return status;
    return choose_networks();
  }

  Status number_nodes() {
    unsigned nodes = 0;
    for (Starting& each : hosts_) {
      if (each.placement.nodes == 0) {
        each.placement.nodes = std::max(1U, count_numa_domains(each.facts.processors));
      }
      each.first = std::exchange(nodes, nodes + each.placement.nodes);
    }
    plan_.nodes = nodes;
    return check_node_count(nodes);
  }

  Status decide_threads_and_processors() {
    unsigned fewest = ~0U;
    for (Starting& each : hosts_) {
      each.sharing = share_processors(each.facts.processors, each.placement.slurm_processors,
                                      each.placement.nodes, options_.binding());
      fewest = std::min(fewest, each.sharing.fewest);
    }
    const auto threads =
        decide_threads(options_, plan_.nodes, std::getenv("OMP_NUM_THREADS"), fewest);
    if (!threads) return Failure{threads.error()};
    plan_.threads = threads.value();
    for (Starting& each : hosts_) {
      unbind_if_crowded(each.sharing, each.placement.nodes, plan_.threads);
    }
    return {};
  }

  Status choose_networks() {
    std::string own_address;  // as the other hosts see this one
    for (const Starting& each : hosts_) {
      if (each.remote && own_address.empty()) own_address = each.facts.reached_from;
    }
    std::vector<HostView> views;
    for (const Starting& each : hosts_) {
      views.push_back({.name = each.placement.host,
                       .addresses = each.facts.addresses,
                       .reached_at = each.remote ? each.facts.reached_at : own_address});
    }
    auto chosen = choose_addresses(views, options_.network);
    if (!chosen) return Failure{chosen.error()};
    addresses_ = std::move(chosen.value());
    say_what_was_chosen();
    return {};
  }

  void say_what_was_chosen() const {
    for (std::size_t host = 0; host < hosts_.size(); ++host) {
      const Starting& each = hosts_[host];
      const bool verbose = options_.node.verbose;
      if (verbose)
        fmt::print(stderr, "weft: host {} ({}): {} nodes from node {}, {} processors, network {}\n",
                   each.placement.host, each.facts.host, each.placement.nodes, each.first,
                   each.sharing.usable, addresses_[host].interface);
      for (const std::string& line :
           describe(each.sharing, each.placement.host, each.first, options_.binding(), verbose)) {
        fmt::print(stderr, "weft: {}\n", line);
      }
    }
  }

  Status start_nodes() {
    for (std::size_t host = 0; host < hosts_.size(); ++host) {
      if (hosts_[host].remote) hosts_[host].remote->start(agent_plan(host));
    }
    for (std::size_t host = 0; host < hosts_.size(); ++host) {
      Starting& each = hosts_[host];
      if (each.remote) continue;
      SpawnPlan plan = plan_;
      plan.nodes_here = each.placement.nodes;
      plan.processors = each.sharing.sets;
      plan.processors_here = each.sharing.usable;
      tell_network(plan.environment, host);
      auto started = LocalNodes::start(plan, each.first, each.placement.nodes);
      if (!started) return Failure{started.error()};
      each.local = std::move(started.value());
    }
    return {};
  }

  void tell_network(std::map<std::string, std::string>& variables, std::size_t host) const {
    variables[kNetDevicesVariable] = addresses_[host].interface;
    variables[kNetAddressVariable] = addresses_[host].address;
  }

  [[nodiscard]] AgentPlan agent_plan(std::size_t host) const {
    const Starting& each = hosts_[host];
    AgentPlan plan;
    plan.file = plan_.file;
    std::error_code error;
    plan.folder = std::filesystem::current_path(error).string();
    plan.node_library = plan_.node_library;
    plan.joins_itself = plan_.joins_itself;
    plan.arguments = plan_.arguments;
    for (char** entry = environ; *entry != nullptr; ++entry) plan.environment.emplace_back(*entry);
    std::map<std::string, std::string> options = plan_.environment;
    tell_network(options, host);
    plan.options = as_entries(options);
    plan.first = each.first;
    plan.nodes_here = each.placement.nodes;
    plan.nodes = plan_.nodes;
    plan.threads = plan_.threads;
    plan.processors = each.sharing.sets;
    plan.processors_here = each.sharing.usable;
    const mode_t mask = umask(0);
    umask(mask);
    plan.file_mask = mask;
    rlimit stack = {};
    getrlimit(RLIMIT_STACK, &stack);
    plan.stack_limit = stack.rlim_cur;
    plan.silence_limit_ms = std::uint64_t{lost_after_seconds()} * 1000;
    if (stage_) plan.libraries = stage_->libraries;
    return plan;
  }

  void kill_local() {
    for (const Starting& each : hosts_) {
      if (each.local) each.local->kill_all();
    }
  }

  HostedStart hand_over() {
    HostedStart result{.hosts = {}, .keeper = {}, .ended_by = ended_by_};
    if (ended_by_ != 0) return result;
    for (Starting& each : hosts_) {
      std::unique_ptr<NodeHost> host = std::move(each.local);
      if (each.remote) host = std::move(each.remote);
      if (each.keeper) result.keeper = std::move(each.keeper);
      result.hosts.push_back({.host = std::move(host), .count = each.placement.nodes});
    }
    return result;
  }

  const RunOptions& options_;
  SpawnPlan plan_;
  const std::optional<Stage>& stage_;
  const char* version_;
  const std::function<Status(unsigned)>& prepare_;
  int signals_;
  int ended_by_ = 0;
  bool keeps_stage_ = false;    // on this host
  std::uint64_t progress_ = 0;  // of all hosts' stages, when it was looked at last
  Clock::time_point next_word_ = Clock::now() + kWordPeriod;
  std::vector<Starting> hosts_;
  std::vector<HostAddress> addresses_;  // of each host, by which the nodes reach each other
};

}  // namespace

Result<HostedStart> start_on_hosts(const RunOptions& options,
                                   const std::vector<Placement>& placements, SpawnPlan plan,
                                   const std::optional<Stage>& stage, const char* version,
                                   const std::function<Status(unsigned)>& prepare) {
  return Start(options, std::move(plan), stage, version, prepare).run(placements);
}

}  // namespace weft
