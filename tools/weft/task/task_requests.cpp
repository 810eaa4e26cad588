// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What others see of the job at its socket, and ask of it. The first task of a host serves the
// socket there (job/job_watch.hpp), and looks at the host's other nodes through their tasks
// (task_link.hpp). Which hosts have the rest of the job, it knows; but it does not reach them.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "weft/job/endings.hpp"
#include "weft/job/job.hpp"
#include "weft/task/task_node.hpp"

namespace weft {

void TaskNode::start_watch() {
  if (place_.nodes_here.front() != launcher_.rank()) return;
  WatchOptions options{.command = place_.command,
                       .socket = open_job_socket(place_.version.c_str()),
                       .deadlock = place_.wishes.deadlock};
  std::vector<NodeGroup> groups;
  for (const unsigned each : place_.nodes_here) {
    groups.push_back({.host = node_.host(), .nodes = {each}});
  }
  WatchedJob& self = *this;
  watch_.emplace(self, std::move(groups), launcher_.size(), std::move(options));
}

JobSocket* TaskNode::socket() const { return watch_ ? watch_->socket() : nullptr; }

// Nobody finds the job any more, be this task killed in the next moment.
void TaskNode::hide_job() {
  if (socket() != nullptr) socket()->hide();
  if (link_) link_->remove_socket();
}

bool TaskNode::may_join(unsigned node) const {
  return node != launcher_.rank() && std::ranges::binary_search(place_.nodes_here, node);
}

void TaskNode::look(const ViewQuestion& question) {
  if (socket() != nullptr) socket()->look(question);
  watch_->on_views(node_.views(question));
}

JobPhase TaskNode::phase() const {
  if (finished_ || failed_ || stage_ != Stage::kRunning) return JobPhase::kEnding;
  return stopped_ ? JobPhase::kStopped : JobPhase::kRunning;
}

bool TaskNode::is_alive(unsigned node) const {
  return node != launcher_.rank() && socket() != nullptr && socket()->has_joined(node);
}

void TaskNode::announce(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& each : lines) text += (text.empty() ? "" : "\nweft: ") + each;
  say(text);
}

std::string TaskNode::why_no_signal(int signal) const {
  const bool is_here = place_.nodes_here.size() == launcher_.size();
  if (signal == SIGKILL || is_here) return {};
  if (signal == SIGSTOP || signal == SIGTSTP || signal == SIGCONT) {
    return "it has nodes on other hosts, which this command does not reach; the launcher's own "
           "does";
  }
  if (is_first()) return {};
  return fmt::format("node 0 is on host {}, and only there this signal can be sent to it",
                     place_.first_host);
}

void TaskNode::on_signal_wanted(int signal) {
  say(comes_by_kill(signal));
  if (signal == SIGKILL) end_job(128 + signal, "");
  const bool stops = signal == SIGSTOP || signal == SIGTSTP;
  if (stops || signal == SIGCONT) {
    stopped_ = stops;
    return signal_all_here(stops ? SIGSTOP : SIGCONT);
  }
  pass_on(signal);
  if (asks_to_end(signal) && place_.wishes.grace_seconds != 0 && !deadline_) {
    set_deadline(place_.wishes.grace_seconds * 1000,
                 not_ended_in_grace(place_.wishes.grace_seconds, signal), 128 + signal);
  }
}

void TaskNode::signal_all_here(int signal) {
  node_.signal(launcher_.rank(), signal);
  if (socket() != nullptr) socket()->signal(signal);
}

}  // namespace weft
