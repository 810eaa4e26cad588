// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What others ask of a running job at its socket (jobs/job_socket.hpp), and what follows from it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>

#include "weft/job/job.hpp"

namespace weft {
namespace {

constexpr int kAnswerMs = 2000;  // for the hosts' answers; a host that is late is left out

std::uint64_t milliseconds_of(std::chrono::nanoseconds duration) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

}  // namespace

void JobSupervisor::on_state_wanted(bool texts) {
  // The answer that is under way is this one's, too, if it tells as much; else all are asked anew,
  // and those who wait get the fuller one.
  if (asked_ && (asked_for_texts_ || !texts)) return;
  if (!asked_) set_deadline(Deadline::Kind::kState, kAnswerMs);
  asked_.emplace(hosts_.size());
  asked_for_texts_ = texts;
  const ViewQuestion question{
      .asker = ViewAsker::kStatus, .number = ++question_, .texts = texts, .process = true};
  for (const auto& host : hosts_) host->look(question, *this);
  if (asked_ && all_have_answered()) answer_state();
}

void JobSupervisor::take_state(const HostViews& views) {
  if (!asked_ || views.number != question_ || views.nodes.empty()) return;
  const NodeHost* const host = nodes_[views.nodes.front().node].host;
  for (std::size_t each = 0; each < hosts_.size(); ++each) {
    if (hosts_[each].get() == host) (*asked_)[each] = views;
  }
  if (all_have_answered()) answer_state();
}

// Those whose nodes are all dead may be lost.
bool JobSupervisor::all_have_answered() const {
  for (std::size_t each = 0; each < hosts_.size(); ++each) {
    const bool lives = std::any_of(nodes_.begin(), nodes_.end(), [&](const Node& node) {
      return node.host == hosts_[each].get() && node.alive;
    });
    if (lives && !(*asked_)[each]) return false;
  }
  return true;
}

void JobSupervisor::answer_state() {
  if (!asked_) return;
  std::erase_if(deadlines_,
                [](const Deadline& each) { return each.kind == Deadline::Kind::kState; });
  JobState state;
  state.pid = getpid();
  state.command = options_.command;
  state.phase = ending_ || finished_ || !anybody_alive() ? JobPhase::kEnding
                : stopped_                               ? JobPhase::kStopped
                                                         : JobPhase::kRunning;
  state.started_ms = milliseconds_of(started_.time_since_epoch());
  state.age_ms = milliseconds_of(Clock::now() - began_);
  for (std::size_t each = 0; each < hosts_.size(); ++each) {
    ObservedHost& host = state.hosts.emplace_back();
    host.name = hosts_[each]->host();
    if (auto& views = (*asked_)[each]) {
      host.answered = true;
      host.taken_us = views->taken_us;
      host.nodes = std::move(views->nodes);
      continue;
    }
    for (unsigned node = 0; node < nodes_.size(); ++node) {
      if (nodes_[node].host == hosts_[each].get()) host.nodes.emplace_back().node = node;
    }
  }
  asked_.reset();
  options_.socket->answer(state);
}

void JobSupervisor::on_signal_wanted(int signal) {
  output_.announce(fmt::format("signal {} ({}) comes by `weft kill`", signal, strsignal(signal)));
  if (signal == SIGKILL) {
    forwarded_signal_ = signal;
    end(128 + signal, "");
    kill_all(signal);
    // Whoever does not read what is left does not keep the job.
    output_.write_some();
    if (output_.waiting_for() >= 0) output_.drop();
    return;
  }
  const bool stops = signal == SIGSTOP || signal == SIGTSTP;
  if (stops || signal == SIGCONT) {
    stopped_ = stops;
    return kill_all(stops ? SIGSTOP : SIGCONT);
  }
  pass_on(signal);
}

}  // namespace weft
