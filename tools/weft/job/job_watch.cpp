// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/job/job_watch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

namespace weft {
namespace {

constexpr int kAnswerMs = 2000;  // for the hosts' answers; a host that is late is left out

std::uint64_t milliseconds_of(std::chrono::nanoseconds duration) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

std::size_t count_nodes(const std::vector<NodeGroup>& groups) {
  std::size_t count = 0;
  for (const NodeGroup& each : groups) count += each.nodes.size();
  return count;
}

// The entry of the group's host that has, or has not, answered. One host may have several groups.
ObservedHost& entry_of(const std::string& host, bool answered, std::vector<ObservedHost>& hosts) {
  const auto known = std::ranges::find_if(hosts, [&](const ObservedHost& each) {
    return each.name == host && each.answered == answered;
  });
  if (known != hosts.end()) return *known;
  return hosts.emplace_back(ObservedHost{.name = host, .answered = answered, .nodes = {}});
}

}  // namespace

std::optional<OnDeadlock> parse_on_deadlock(const std::string& text) {
  if (text == "report") return OnDeadlock::kReport;
  if (text == "abort") return OnDeadlock::kAbort;
  if (text == "off") return OnDeadlock::kOff;
  return std::nullopt;
}

std::unique_ptr<JobSocket> open_job_socket(const char* version) {
  auto socket = JobSocket::open(version);
  if (socket) return std::move(socket.value());
  fmt::print(stderr, "weft: `weft ps` cannot show this job: {}\n", socket.error());
  return nullptr;
}

JobWatch::JobWatch(WatchedJob& job, std::vector<NodeGroup> groups, unsigned nodes,
                   WatchOptions options)
    : job_(job),
      nodes_(nodes),
      options_(std::move(options)),
      deadlock_watch_(nodes, [this](const ViewQuestion& question) { job_.look(question); }),
      next_look_(Clock::now() + options_.look_period) {
  if (count_nodes(groups) < nodes) options_.deadlock = OnDeadlock::kOff;
  for (NodeGroup& each : groups) groups_.push_back({.nodes = std::move(each), .views = {}});
}

void JobWatch::on_state_wanted(bool texts) {
  // The answer that is under way is this one's, too, if it tells as much; else all are asked anew,
  // and those who wait get the fuller one.
  if (answer_by_ && (with_texts_ || !texts)) return;
  if (!answer_by_) answer_by_ = Clock::now() + std::chrono::milliseconds(kAnswerMs);
  for (Group& each : groups_) each.views.reset();
  with_texts_ = texts;
  job_.look({.asker = ViewAsker::kStatus, .number = ++question_, .texts = texts, .process = true});
  if (answer_by_ && all_have_answered()) answer_state();
}

void JobWatch::on_views(const HostViews& views) {
  switch (views.asker) {
    case ViewAsker::kDeadlock:
      return deadlock_watch_.on_views(views);
    case ViewAsker::kStatus:
      return take_state(views);
  }
}

void JobWatch::take_state(const HostViews& views) {
  if (!answer_by_ || views.number != question_ || views.nodes.empty()) return;
  const unsigned node = views.nodes.front().node;
  for (Group& each : groups_) {
    if (std::ranges::find(each.nodes.nodes, node) != each.nodes.nodes.end()) each.views = views;
  }
  if (all_have_answered()) answer_state();
}

// Those whose nodes are all dead may be lost.
bool JobWatch::all_have_answered() const {
  return std::ranges::all_of(groups_, [this](const Group& group) {
    return group.views || std::ranges::none_of(group.nodes.nodes, [this](unsigned node) {
             return job_.is_alive(node);
           });
  });
}

void JobWatch::answer_state() {
  if (!answer_by_) return;
  answer_by_.reset();
  JobState state;
  state.pid = getpid();
  state.command = options_.command;
  state.phase = job_.phase();
  state.started_ms = milliseconds_of(started_.time_since_epoch());
  state.age_ms = milliseconds_of(Clock::now() - began_);
  state.nodes = nodes_;
  for (Group& group : groups_) {
    ObservedHost& host = entry_of(group.nodes.host, group.views.has_value(), state.hosts);
    if (group.views) {
      host.taken_us = group.views->taken_us;
      std::ranges::move(group.views->nodes, std::back_inserter(host.nodes));
    } else {
      for (const unsigned node : group.nodes.nodes) host.nodes.emplace_back().node = node;
    }
    group.views.reset();
  }
  options_.socket->answer(state);
}

void JobWatch::handle_time() {
  if (answer_by_ && *answer_by_ <= Clock::now()) answer_state();
  look_for_deadlock();
}

std::optional<JobWatch::Clock::time_point> JobWatch::due() const {
  if (options_.deadlock == OnDeadlock::kOff) return answer_by_;
  return answer_by_ ? std::min(*answer_by_, next_look_) : next_look_;
}

void JobWatch::look_for_deadlock() {
  if (options_.deadlock == OnDeadlock::kOff) return;
  const bool is_due = next_look_ <= Clock::now();
  if (is_due) next_look_ = Clock::now() + options_.look_period;
  if (job_.phase() == JobPhase::kEnding) return;
  if (is_due) deadlock_watch_.look();
  if (deadlock_watch_.take_movement()) job_.announce({"the job goes on: it was not stuck"});
  if (const auto nodes = deadlock_watch_.take_finding()) report_deadlock(*nodes);
}

void JobWatch::report_deadlock(const std::vector<NodeView>& nodes) {
  const bool one_host = std::ranges::all_of(
      groups_, [this](const Group& each) { return each.nodes.host == groups_.front().nodes.host; });
  std::vector<std::string> hosts(nodes_);
  for (const Group& each : groups_) {
    for (const unsigned node : each.nodes.nodes) hosts[node] = one_host ? "" : each.nodes.host;
  }
  std::vector<std::string> lines = {
      "no thread of the job can go on: all wait for each other, for ever"};
  for (const std::string& line : deadlock_report(nodes, hosts)) lines.push_back("  " + line);
  job_.announce(lines);
  if (options_.deadlock == OnDeadlock::kAbort) job_.end_stuck_job("the job is ended");
}

}  // namespace weft
