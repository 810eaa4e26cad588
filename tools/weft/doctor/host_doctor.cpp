// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/doctor/host_doctor.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "weft/agent/remote_nodes.hpp"
#include "weft/doctor/host_report.hpp"
#include "weft/hosts/network.hpp"
#include "weft/hosts/reach.hpp"
#include "weft/run/hosted_start.hpp"

namespace weft {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kUsage = 2;
constexpr auto kAnswerLimit = std::chrono::seconds(60);

struct Patient {
  Placement placement;
  std::unique_ptr<RemoteNodes> remote;
  HostReport report;
  ProbeTarget target;  // where it can be probed

  [[nodiscard]] bool is_reached() const { return report.failure.empty(); }
};

class HostDoctor {
 public:
  HostDoctor(const RunOptions& options, const char* version) : options_(options) {
    findings_.version = version;
  }

  Findings run(const std::vector<Placement>& placements) {
    reach(placements);
    examine();
    choose_networks();
    probe_all_pairs();
    for (Patient& each : patients_) findings_.hosts.push_back(std::move(each.report));
    return std::move(findings_);
  }

 private:
  void reach(const std::vector<Placement>& placements) {
    patients_.reserve(placements.size());
    for (const Placement& each : placements) {
      Patient& patient = patients_.emplace_back();
      patient.placement = each;
      patient.report.name = each.host;
      const auto command =
          each.is_here ? command_of_agent() : command_of(each, options_, command_of_agent());
      auto reached = RemoteNodes::reach(each.host, command);
      if (reached) {
        patient.remote = std::move(reached.value());
      } else {
        fail(patient, reached.error());
      }
    }
    wait_for(all_reached(), [](const RemoteNodes& each) { return each.hello().has_value(); });
    for (Patient* const each : all_reached()) each->report.hello = *each->remote->hello();
  }

  void examine() {
    for (Patient* const each : all_reached()) ask(*each, AgentMessage::kExamine, {});
    wait_for_answers(all_reached(), [](Patient& patient, const Bytes& body) {
      if (!from_bytes(body, patient.report.found)) return false;
      const auto now = std::chrono::system_clock::now().time_since_epoch();
      const auto middle = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
      // It was answered at the end of the examination, so just before it came here.
      patient.report.ahead_ns = patient.report.found.clock_ns - middle;
      return true;
    });
  }

  void choose_networks() {
    const std::vector<Patient*> reached = all_reached();
    if (reached.size() < 2) return;
    std::string own_address;  // as the other hosts see this one
    for (const Patient* const each : reached) {
      if (!each->placement.is_here && own_address.empty()) {
        own_address = each->report.hello.reached_from;
      }
    }
    std::vector<HostView> views;
    for (const Patient* const each : reached) {
      const AgentHello& hello = each->report.hello;
      views.push_back({.name = each->report.name,
                       .addresses = hello.addresses,
                       .reached_at = each->placement.is_here ? own_address : hello.reached_at});
    }
    const auto chosen = choose_addresses(views, options_.network);
    findings_.no_network = chosen.error();
    if (!chosen) return;
    for (std::size_t each = 0; each < reached.size(); ++each) {
      reached[each]->report.network = chosen.value()[each];
    }
  }

  // Rounds in which each host has one partner, so that no measurement disturbs another.
  void probe_all_pairs() {
    std::vector<Patient*> all = all_reached();
    if (!findings_.no_network.empty() || all.size() < 2) return;
    listen(all);
    all = all_reached();
    if (all.size() % 2 != 0) all.push_back(nullptr);  // its partner rests
    const std::size_t count = all.size();
    for (std::size_t round = 0; round + 1 < count; ++round) {
      std::vector<std::pair<Patient*, Patient*>> pairs;
      for (std::size_t each = 0; each < count / 2; ++each) {
        if (all[each] != nullptr && all[count - 1 - each] != nullptr) {
          pairs.emplace_back(all[each], all[count - 1 - each]);
        }
      }
      probe_pairs(pairs);
      for (auto& [from, to] : pairs) std::swap(from, to);
      probe_pairs(pairs);
      std::rotate(all.begin() + 1, all.end() - 1, all.end());
    }
    std::ranges::sort(findings_.pairs, {},
                      [](const PairReport& each) { return std::pair(each.from, each.to); });
  }

  void listen(const std::vector<Patient*>& all) {
    std::random_device random;
    for (Patient* const each : all) {
      const std::string token =
          fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
      each->target = {each->report.network.address, 0, token};
      ask(*each, AgentMessage::kListen,
          to_bytes(ListenRequest{each->report.network.address, token}));
    }
    wait_for_answers(all, [](Patient& patient, const Bytes& body) {
      const auto listening = from_bytes<Listening>(body);
      if (!listening) return false;
      patient.target.port = listening->port;
      if (!listening->error.empty()) patient.report.failure = listening->error;
      return true;
    });
  }

  void probe_pairs(const std::vector<std::pair<Patient*, Patient*>>& pairs) {
    std::vector<Patient*> asked;
    for (const auto& [from, to] : pairs) {
      if (!from->is_reached() || !to->is_reached()) continue;
      ask(*from, AgentMessage::kProbe, to_bytes(to->target));
      asked.push_back(from);
    }
    wait_for_answers(asked, [&](Patient& patient, const Bytes& body) {
      const auto result = from_bytes<ProbeResult>(body);
      const auto pair =
          std::ranges::find(pairs, &patient, [](const auto& each) { return each.first; });
      if (!result) return false;
      findings_.pairs.push_back({place_of(*pair->first), place_of(*pair->second), *result});
      return true;
    });
  }

  // --- questions and answers ---

  static void ask(Patient& patient, AgentMessage question, ByteView body) {
    patient.remote->ask(question, body);
  }

  // Takes each one's answer; it returns false for one that makes no sense.
  static void wait_for_answers(const std::vector<Patient*>& whom,
                               const std::function<bool(Patient&, const Bytes&)>& take) {
    std::vector<Patient*> waiting = whom;
    while (!waiting.empty()) {
      wait_for(waiting, [](const RemoteNodes& each) { return each.has_answer(); }, /*all=*/false);
      std::erase_if(waiting, [&](Patient* patient) {
        if (!patient->is_reached()) return true;
        if (!patient->remote->has_answer()) return false;
        if (!take(*patient, patient->remote->take_answer())) {
          fail(*patient, "its agent is of another version");
        }
        return true;
      });
    }
  }

  // Until it holds for all of them, or for one; those for which it never will have failed then.
  static void wait_for(const std::vector<Patient*>& whom,
                       const std::function<bool(const RemoteNodes&)>& holds, bool all = true) {
    const auto limit = Clock::now() + kAnswerLimit;
    while (true) {
      std::vector<pollfd> links;
      std::vector<Patient*> waiting;
      for (Patient* const each : whom) {
        if (!each->is_reached() || holds(*each->remote)) continue;
        each->remote->add_to(links);
        waiting.push_back(each);
      }
      if (waiting.empty() || (!all && waiting.size() < whom.size())) return;
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(limit - Clock::now()).count();
      if (left > 0) poll(links.data(), links.size(), static_cast<int>(left));
      for (Patient* const each : waiting) {
        const Status status = each->remote->advance();
        if (!status) fail(*each, status.error());
        if (status && left <= 0) {
          fail(*each, fmt::format("no answer within {} s", kAnswerLimit.count()));
        }
      }
    }
  }

  // A sentence of an agent or ssh names the host, as the table does.
  static void fail(Patient& patient, std::string sentence) {
    const std::string prefix = fmt::format("host {}: ", patient.report.name);
    if (sentence.starts_with(prefix)) sentence.erase(0, prefix.size());
    patient.report.failure = sentence;
  }

  std::vector<Patient*> all_reached() {
    std::vector<Patient*> all;
    for (Patient& each : patients_) {
      if (each.is_reached()) all.push_back(&each);
    }
    return all;
  }

  [[nodiscard]] std::size_t place_of(const Patient& patient) const {
    return static_cast<std::size_t>(&patient - patients_.data());
  }

  const RunOptions& options_;
  std::vector<Patient> patients_;
  Findings findings_;
};

}  // namespace

int examine_hosts(const RunOptions& options, bool json, const char* version) {
  auto placements = place_nodes(options);
  if (!placements) {
    fmt::print(stderr, "weft: {}\n", placements.error());
    return kUsage;
  }
  if (placements.value().empty()) {
    placements.value().push_back({.host = "localhost", .is_here = true, .nodes = 1});
  }
  const Findings findings = HostDoctor(options, version).run(placements.value());
  fmt::print("{}", json ? as_json(findings) : as_text(findings));
  return faults_of(findings).empty() ? 0 : 1;
}

bool concerns_hosts(const RunOptions& options) {
  const auto placements = place_nodes(options);
  return !placements || !placements.value().empty();
}

}  // namespace weft
