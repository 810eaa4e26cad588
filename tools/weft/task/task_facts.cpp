// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/task/task_facts.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>

#include "weft/agent/host_facts.hpp"
#include "weft/hosts/network.hpp"
#include "weft/nodes/variables.hpp"
#include "weft/run/run_options.hpp"

namespace weft {
namespace {

constexpr unsigned kMaxThreads = 4096;  // as `weft run` allows

std::vector<unsigned> allowed_processors() {
  std::vector<unsigned> all;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return {0};
  for (unsigned each = 0; each < CPU_SETSIZE; ++each) {
    if (CPU_ISSET(each, &allowed)) all.push_back(each);
  }
  return all;
}

// Host, and on it where shared memory is seen.
std::string place_of_shared_memory() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  char memory[64] = {};
  (void)!readlink("/proc/self/ns/ipc", memory, sizeof memory - 1);
  return fmt::format("{} {}", boot, memory);
}

// What is the same on a host, by its place.
struct HostOfTasks {
  const TaskFacts* first = nullptr;
  std::vector<unsigned> ranks;
  std::set<unsigned> processors;
};

using Hosts = std::map<std::string, HostOfTasks>;

Hosts hosts_of(const std::vector<TaskFacts>& all) {
  Hosts hosts;
  for (unsigned rank = 0; rank < all.size(); ++rank) {
    const TaskFacts& each = all[rank];
    HostOfTasks& host = hosts[each.place];
    if (host.first == nullptr) host.first = &each;
    host.ranks.push_back(rank);
    host.processors.insert(each.processors.begin(), each.processors.end());
  }
  return hosts;
}

// The fewest processors that a node has for itself: those to which the launcher has bound it, or
// its share of those of all nodes there.
unsigned processors_of_each(const std::vector<TaskFacts>& all, const Hosts& hosts) {
  std::size_t fewest = kMaxThreads;
  for (const TaskFacts& each : all) {
    const HostOfTasks& host = hosts.at(each.place);
    fewest = std::min({fewest, each.processors.size(), host.processors.size() / host.ranks.size()});
  }
  return static_cast<unsigned>(std::max<std::size_t>(fewest, 1));
}

Result<unsigned> threads_of_each(const std::vector<TaskFacts>& all, const Hosts& hosts) {
  RunOptions options;
  const std::string& wish = all.front().threads;
  if (!wish.empty()) {
    const char* const end = wish.data() + wish.size();
    const auto [stop, error] = std::from_chars(wish.data(), end, options.threads);
    if (error != std::errc() || stop != end || options.threads == 0 ||
        options.threads > kMaxThreads) {
      return Failure{fmt::format("WEFT_THREADS={} is not a number of threads", wish)};
    }
  }
  return decide_threads(options, static_cast<unsigned>(all.size()),
                        all.front().omp_num_threads.c_str(), processors_of_each(all, hosts));
}

Result<HostAddress> network_of(const std::vector<TaskFacts>& all, const Hosts& hosts,
                               const std::string& place) {
  if (hosts.size() == 1) return HostAddress();
  std::vector<HostView> views;
  std::size_t own = 0;
  for (const auto& [each, host] : hosts) {
    if (each == place) own = views.size();
    const AgentHello& facts = host.first->host;
    views.push_back({.name = facts.host, .addresses = facts.addresses, .reached_at = {}});
  }
  auto chosen = choose_addresses(views, all.front().network);
  if (!chosen) return Failure{chosen.error() + " (--net is WEFT_NET here)"};
  return chosen.value()[own];
}

}  // namespace

TaskFacts facts_of_this_task(const char* version) {
  TaskFacts facts;
  facts.host = facts_of_this_host(version);
  facts.place = place_of_shared_memory();
  facts.processors = allowed_processors();
  facts.threads = from_environment("WEFT_THREADS");
  facts.omp_num_threads = from_environment("OMP_NUM_THREADS");
  facts.network = from_environment("WEFT_NET");
  return facts;
}

Result<TaskDecision> decide_for_task(const std::vector<TaskFacts>& all, unsigned rank) {
  const TaskFacts& first = all.front();
  for (const TaskFacts& each : all) {
    if (!each.refusal.empty()) return Failure{each.refusal};
    if (each.host.version != first.host.version) {
      return Failure{fmt::format("host {} has Weft {}, and host {} has {}; all need the same",
                                 each.host.host, each.host.version, first.host.host,
                                 first.host.version)};
    }
  }
  const Hosts hosts = hosts_of(all);
  const auto threads = threads_of_each(all, hosts);
  if (!threads) return Failure{threads.error()};
  const std::string& place = all[rank].place;
  const auto network = network_of(all, hosts, place);
  if (!network) return Failure{network.error()};
  const HostOfTasks& here = hosts.at(place);
  return TaskDecision{.threads = threads.value(),
                      .nodes_here = here.ranks,
                      .processors_here = static_cast<unsigned>(here.processors.size()),
                      .network = network.value()};
}

}  // namespace weft
