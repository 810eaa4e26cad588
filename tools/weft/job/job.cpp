// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/job/job.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/assert.hpp"
#include "weft/job/endings.hpp"
#include "weft/nodes/descendants.hpp"
#include "weft/text/durations.hpp"

namespace weft {
namespace {

constexpr unsigned kSpareGraceMs = 1000;  // for a node that reported why the job ends
constexpr int kLooksInLimit = 5;          // for stopped nodes, in the limit for silence
constexpr int kPromptMs = 30;             // after which an unfinished line is a question
constexpr int kLifeMs = 500;    // between signs of life to hosts while nothing is read from them
constexpr int kTimedOut = 124;  // the exit status, as timeout(1) gives it

constexpr std::int64_t kLongestWaitMs = 86'400'000;  // after which is looked again

constexpr std::size_t kSignals = ~std::size_t{0};  // the source that is no host

constexpr int kHandled[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGUSR1,
                            SIGUSR2, SIGTSTP, SIGCONT, SIGWINCH};

sigset_t handled_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int each : kHandled) sigaddset(&set, each);
  return set;
}

}  // namespace

bool asks_to_end(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

sigset_t take_signals() {
  sigset_t before;
  const sigset_t handled = handled_signals();
  sigprocmask(SIG_BLOCK, &handled, &before);
  signal(SIGPIPE, SIG_IGN);
  return before;
}

int open_signals() {
  const sigset_t handled = handled_signals();
  return signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK);
}

namespace {

unsigned count_nodes(const std::vector<HostedNodes>& hosts) {
  unsigned count = 0;
  for (const HostedNodes& each : hosts) count += each.count;
  return count;
}

// Of each node, by number.
std::vector<std::string> names_of_hosts(const std::vector<HostedNodes>& hosts) {
  std::vector<std::string> names;
  for (const HostedNodes& each : hosts) names.resize(names.size() + each.count, each.host->host());
  return names;
}

std::vector<NodeGroup> groups_of(const std::vector<HostedNodes>& hosts) {
  std::vector<NodeGroup> groups;
  unsigned next = 0;
  for (const HostedNodes& each : hosts) {
    NodeGroup& group = groups.emplace_back(NodeGroup{.host = each.host->host(), .nodes = {}});
    for (unsigned node = 0; node < each.count; ++node) group.nodes.push_back(next++);
  }
  return groups;
}

}  // namespace

JobSupervisor::JobSupervisor(std::vector<HostedNodes> hosts, JobOptions options)
    : options_(std::move(options)),
      output_(names_of_hosts(hosts), options_.label),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      signals_(open_signals()),
      prompts_(isatty(STDOUT_FILENO) != 0),
      watch_(*this, groups_of(hosts), count_nodes(hosts), std::move(options_.watch)) {
  WEFT_ASSERT(epoll_ >= 0 && signals_ >= 0, "{}", std::strerror(errno));
  watch(signals_, kSignals);
  for (HostedNodes& each : hosts) {
    watch(each.host->descriptor(), hosts_.size());
    for (unsigned node = 0; node < each.count; ++node) {
      nodes_.push_back(Node{.host = each.host.get(), .exchange = {}});
    }
    hosts_.push_back(std::move(each.host));
  }
}

JobSupervisor::~JobSupervisor() {
  close(signals_);
  close(epoll_);
}

void JobSupervisor::watch(int descriptor, std::size_t source) {
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.u64 = source;
  epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event);
}

int JobSupervisor::run() {
  if (const auto limit = options_.timeout; limit.count() != 0) {
    set_deadline(Deadline::Kind::kTimeout, limit.count(),
                 fmt::format("the job has run for {}, its limit (--timeout); it is ended",
                             duration_text(limit)));
  }
  while (anybody_alive()) {
    wait();
    handle_deadlines();
    look_for_stopped();
    watch_.handle_time();
    output_.write_some();
  }
  for (const auto& each : hosts_) each->let_go();
  hosts_.clear();  // which waits for the agents
  kill_descendants();
  write_rest();
  return timed_out_ ? kTimedOut : status_.value_or(0);
}

// Waits for the next events or for room in what the launcher writes to.
void JobSupervisor::wait() {
  // The job's socket is served in any case: a job whose output nobody reads can be ended, too.
  pollfd descriptors[3] = {
      {epoll_, POLLIN, 0}, {output_.waiting_for(), POLLOUT, 0}, {watch_.descriptor(), POLLIN, 0}};
  if (output_.is_full()) descriptors[0].events = 0;
  const int ready = poll(descriptors, 3, timeout_ms());
  if (ready == 0 && prompts_) flush_prompts();
  if (output_.is_full()) {
    for (const auto& each : hosts_) each->show_life();
  }
  if (descriptors[2].revents != 0) watch_.handle(*this);
  if ((descriptors[0].revents & POLLIN) == 0) return;
  epoll_event event;
  if (epoll_wait(epoll_, &event, 1, 0) == 1) handle(static_cast<std::size_t>(event.data.u64));
}

int JobSupervisor::timeout_ms() const {
  int result = output_.is_full() ? kLifeMs : -1;
  if (prompts_ && has_partial_line(0)) result = kPromptMs;
  const auto at_most_until = [&](Clock::time_point when) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(when - Clock::now()).count();
    const int milliseconds = static_cast<int>(std::clamp<std::int64_t>(left, 0, kLongestWaitMs));
    if (result < 0 || milliseconds < result) result = milliseconds;
  };
  for (const Deadline& each : deadlines_) at_most_until(each.when);
  if (const auto due = watch_.due()) at_most_until(*due);
  if (options_.silence_limit.count() != 0) at_most_until(next_look_for_stopped_);
  return result;
}

void JobSupervisor::handle(std::size_t source) {
  if (source == kSignals) return on_signal();
  hosts_[source]->handle(*this);
}

void JobSupervisor::set_deadline(Deadline::Kind kind, std::int64_t milliseconds,
                                 std::string sentence) {
  deadlines_.push_back(
      Deadline{Clock::now() + std::chrono::milliseconds(milliseconds), kind, std::move(sentence)});
}

void JobSupervisor::handle_deadlines() {
  for (std::size_t each = 0; each < deadlines_.size();) {
    if (deadlines_[each].when > Clock::now()) {
      ++each;
      continue;
    }
    const Deadline due = deadlines_[each];
    deadlines_.erase(deadlines_.begin() + static_cast<std::ptrdiff_t>(each));
    on_deadline(due);
  }
}

void JobSupervisor::on_deadline(const Deadline& due) {
  switch (due.kind) {
    case Deadline::Kind::kKillAll:
      if (!due.sentence.empty()) output_.announce(due.sentence);
      if (!status_) status_ = 128 + forwarded_signal_;
      ending_ = true;
      return kill_all(SIGKILL);
    case Deadline::Kind::kLostPeer:
    case Deadline::Kind::kEarlyExit:
      if (!ending_ && !finished_) end(1, due.sentence);
      return;
    case Deadline::Kind::kTimeout:
      return on_timeout(due.sentence);
  }
}

void JobSupervisor::look_for_stopped() {
  if (options_.silence_limit.count() == 0 || ending_ || Clock::now() < next_look_for_stopped_)
    return;
  next_look_for_stopped_ = Clock::now() + options_.silence_limit / kLooksInLimit;
  for (const auto& each : hosts_) each->look_for_stopped(options_.silence_limit, *this);
}

void JobSupervisor::on_timeout(const std::string& sentence) {
  if (ending_ || finished_) return;
  output_.announce(sentence);
  timed_out_ = true;
  pass_on(SIGTERM);
}

void JobSupervisor::on_signal() {
  signalfd_siginfo info;
  if (read(signals_, &info, sizeof info) != sizeof info) return;
  const int signal = static_cast<int>(info.ssi_signo);
  if (signal == SIGTSTP) return on_stop_signal();
  if (signal == SIGCONT) return kill_all(SIGCONT);
  // A terminal has sent its signals to node 0 already, if that is in the launcher's group.
  if (info.ssi_code == SI_KERNEL && nodes_[0].host->shares_terminal(0)) return give_grace(signal);
  pass_on(signal);
}

// Node 0 runs main() and has the handlers that the program installed; the others follow it.
void JobSupervisor::pass_on(int signal) {
  kill_node(0, signal);
  give_grace(signal);
  // A process that is stopped takes no signal.
  if (asks_to_end(signal) && std::exchange(stopped_, false)) kill_all(SIGCONT);
}

void JobSupervisor::give_grace(int signal) {
  if (!asks_to_end(signal)) return;
  if (forwarded_signal_ == 0 && options_.grace_seconds != 0) {
    set_deadline(Deadline::Kind::kKillAll, options_.grace_seconds * 1000,
                 not_ended_in_grace(options_.grace_seconds, signal));
  }
  forwarded_signal_ = signal;
}

void JobSupervisor::on_stop_signal() {
  kill_all(SIGSTOP);
  for (const auto& each : hosts_) each->announce_pause();
  raise(SIGSTOP);
  kill_all(SIGCONT);
}

bool JobSupervisor::has_partial_line(unsigned node) const {
  return output_.has_partial_line(node, 0) || output_.has_partial_line(node, 1);
}

void JobSupervisor::flush_prompts() {
  for (const int stream : {0, 1}) output_.flush_line(0, stream);
}

void JobSupervisor::end(int status, const std::string& sentence, std::optional<unsigned> spared) {
  if (ending_) return;
  ending_ = true;
  status_ = status;
  if (!sentence.empty()) output_.announce(sentence);
  if (spared) {
    nodes_[*spared].spared = true;
    set_deadline(Deadline::Kind::kKillAll, kSpareGraceMs);
  }
  for (unsigned node = 0; node < nodes_.size(); ++node) {
    if (!nodes_[node].spared) kill_node(node, SIGKILL);
  }
}

void JobSupervisor::kill_node(unsigned node, int signal) {
  if (nodes_[node].alive) nodes_[node].host->signal(node, signal);
}

void JobSupervisor::kill_all(int signal) {
  for (unsigned node = 0; node < nodes_.size(); ++node) kill_node(node, signal);
}

bool JobSupervisor::anybody_alive() const {
  return std::any_of(nodes_.begin(), nodes_.end(), [](const Node& each) { return each.alive; });
}

std::string JobSupervisor::name_of(unsigned node) const { return nodes_[node].host->name_of(node); }

void JobSupervisor::write_rest() {
  while (output_.waiting_for() >= 0) {
    pollfd descriptors[2] = {{output_.waiting_for(), POLLOUT, 0}, {watch_.descriptor(), POLLIN, 0}};
    poll(descriptors, 2, -1);
    if (descriptors[1].revents != 0) watch_.handle(*this);
    output_.write_some();
  }
}

}  // namespace weft
