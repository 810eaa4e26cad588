// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/supervise.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "weft/descendants.hpp"

namespace weft {
namespace {

constexpr unsigned kFinishGraceMs = 30'000;  // for the other nodes once node 0 is gone
constexpr unsigned kSpareGraceMs = 1000;     // for a node that reported why the job ends
constexpr unsigned kEarlyExitGraceMs =
    10'000;                    // for node 0, on a busy machine, to say that it has finished
constexpr int kPromptMs = 30;  // after which an unfinished line is a question

constexpr int kHandled[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGUSR1,
                            SIGUSR2, SIGTSTP, SIGCONT, SIGWINCH};

sigset_t handled_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int each : kHandled) sigaddset(&set, each);
  return set;
}

bool asks_to_end(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace

sigset_t take_signals() {
  sigset_t before;
  const sigset_t handled = handled_signals();
  sigprocmask(SIG_BLOCK, &handled, &before);
  signal(SIGPIPE, SIG_IGN);
  return before;
}

JobSupervisor::JobSupervisor(std::vector<NodeProcess> nodes, const JobOptions& options)
    : options_(options),
      output_(static_cast<unsigned>(nodes.size()), options.label),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      prompts_(isatty(STDOUT_FILENO) != 0) {
  const sigset_t handled = handled_signals();
  signals_ = signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK);
  WEFT_ASSERT(epoll_ >= 0 && signals_ >= 0, "{}", std::strerror(errno));
  watch(signals_, Source::kSignal, 0);
  for (unsigned node = 0; node < nodes.size(); ++node) {
    nodes_.push_back(Node{.process = nodes[node], .from_node = {}, .exchange = {}});
    watch(nodes[node].death, Source::kDeath, node);
    watch(nodes[node].link, Source::kLink, node);
    for (const int stream : {0, 1})
      watch(nodes[node].streams[stream], Source::kStream, node, stream);
  }
}

JobSupervisor::~JobSupervisor() {
  for (Node& each : nodes_) {
    for (int* descriptor : {&each.process.death, &each.process.link, &each.process.streams[0],
                            &each.process.streams[1]}) {
      unwatch(*descriptor);
    }
  }
  close(signals_);
  close(epoll_);
}

void JobSupervisor::watch(int descriptor, Source source, unsigned node, int stream) {
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.u64 = (std::uint64_t{node} << 32) | (static_cast<std::uint64_t>(stream) << 16) |
                   static_cast<std::uint64_t>(source);
  epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event);
}

void JobSupervisor::unwatch(int& descriptor) {
  if (descriptor < 0) return;
  close(descriptor);  // which takes it out of the epoll set: nobody else holds it
  descriptor = -1;
}

int JobSupervisor::run() {
  while (anybody_alive()) {
    wait();
    handle_deadlines();
    output_.write_some();
  }
  for (unsigned node = 0; node < nodes_.size(); ++node) {
    for (const int stream : {0, 1}) read_stream(node, stream, /*to_the_end=*/true);
  }
  kill_descendants();
  write_rest();
  return status_.value_or(0);
}

// Waits for the next events or for room in what the launcher writes to.
void JobSupervisor::wait() {
  pollfd descriptors[2] = {{epoll_, POLLIN, 0}, {output_.waiting_for(), POLLOUT, 0}};
  if (output_.is_full()) descriptors[0].events = 0;
  const int ready = poll(descriptors, 2, timeout_ms());
  if (ready == 0 && prompts_) flush_prompts();
  if ((descriptors[0].revents & POLLIN) == 0) return;
  // One at a time: the kernel gives them in the order in which they became ready, and the first
  // death may make the others meaningless.
  epoll_event event;
  if (epoll_wait(epoll_, &event, 1, 0) == 1) handle(event);
}

int JobSupervisor::timeout_ms() const {
  int result = -1;
  if (prompts_ && (output_.has_partial_line(0, 0) || output_.has_partial_line(0, 1))) {
    result = kPromptMs;
  }
  for (const Deadline& each : deadlines_) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(each.when - Clock::now()).count();
    const int milliseconds = static_cast<int>(std::max<std::int64_t>(left, 0));
    if (result < 0 || milliseconds < result) result = milliseconds;
  }
  return result;
}

void JobSupervisor::handle(const epoll_event& event) {
  const auto node = static_cast<unsigned>(event.data.u64 >> 32);
  switch (static_cast<Source>(event.data.u64 & 0xffff)) {
    case Source::kSignal:
      return on_signal();
    case Source::kDeath:
      return on_death(node);
    case Source::kLink:
      return on_link(node);
    case Source::kStream:
      return on_stream(node, static_cast<int>((event.data.u64 >> 16) & 0xffff));
  }
}

void JobSupervisor::set_deadline(Deadline::Kind kind, unsigned milliseconds, std::string sentence) {
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
    if (due.kind == Deadline::Kind::kKillAll) {
      if (!due.sentence.empty()) output_.announce(due.sentence);
      if (!status_) status_ = 128 + forwarded_signal_;
      ending_ = true;
      kill_all(SIGKILL);
    } else if (!ending_ && !finished_) {
      end(1, due.sentence);
    }
  }
}

void JobSupervisor::on_signal() {
  signalfd_siginfo info;
  if (read(signals_, &info, sizeof info) != sizeof info) return;
  const int signal = static_cast<int>(info.ssi_signo);
  if (signal == SIGTSTP) return on_stop_signal();
  if (signal == SIGCONT) return kill_all(SIGCONT);
  // Node 0 runs main() and has the handlers that the program installed; the others follow it.
  // A terminal has sent its signals to node 0 already, if that is in the launcher's group.
  const bool sent_by_terminal = info.ssi_code == SI_KERNEL && !nodes_[0].process.has_own_group;
  if (!sent_by_terminal) kill_node(nodes_[0], signal);
  if (!asks_to_end(signal)) return;
  if (forwarded_signal_ == 0 && options_.grace_seconds != 0) {
    set_deadline(Deadline::Kind::kKillAll, options_.grace_seconds * 1000,
                 fmt::format("the program did not end within {} s of signal {} ({}); it is killed",
                             options_.grace_seconds, signal, strsignal(signal)));
  }
  forwarded_signal_ = signal;
}

void JobSupervisor::on_stop_signal() {
  kill_all(SIGSTOP);
  raise(SIGSTOP);
  kill_all(SIGCONT);
}

void JobSupervisor::on_death(unsigned number) {
  Node& node = nodes_[number];
  siginfo_t info = {};
  if (waitid(P_PID, static_cast<id_t>(node.process.pid), &info, WEXITED | WNOHANG) != 0) return;
  if (info.si_pid == 0) return;
  on_signal();  // which may explain it: a terminal sends its signals to node 0 directly
  node.alive = false;
  unwatch(node.process.death);
  on_link(number);  // what it said last
  for (const int stream : {0, 1}) read_stream(number, stream, /*to_the_end=*/true);
  if (ending_) return;
  const bool exited = info.si_code == CLD_EXITED;
  if (exited && number == 0) {
    status_ = info.si_status;
    if (!finished_) return end(*status_, "");
    return set_deadline(Deadline::Kind::kKillAll, kFinishGraceMs,
                        "the program has ended, but not all nodes with it; they are killed");
  }
  if (exited && finished_) return;
  on_unexpected_death(number, info.si_code, info.si_status);
}

void JobSupervisor::on_unexpected_death(unsigned node, int code, int value) {
  if (code != CLD_EXITED) {
    // What the user did to the job needs no explanation.
    const bool asked_for = node == 0 && (value == forwarded_signal_ || value == SIGPIPE);
    std::string sentence = fmt::format("{} was killed by signal {} ({}); the job is ended",
                                       name_of(node), value, strsignal(value));
    return end(128 + value, asked_for ? "" : sentence);
  }
  const std::string sentence =
      fmt::format("{} exited with status {} before the program had finished; the job is ended",
                  name_of(node), value);
  if (value != 0) return end(value, sentence);
  set_deadline(Deadline::Kind::kEarlyExit, kEarlyExitGraceMs, sentence);
}

void JobSupervisor::on_stream(unsigned node, int stream) {
  read_stream(node, stream, /*to_the_end=*/false);
}

void JobSupervisor::read_stream(unsigned number, int stream, bool to_the_end) {
  // Who has printed this may have waited for a node whose line has no end: first things first.
  for (unsigned other = 0; other < nodes_.size(); ++other) {
    if (output_.has_partial_line(other, 0) || output_.has_partial_line(other, 1)) on_link(other);
  }
  int& descriptor = nodes_[number].process.streams[stream];
  char buffer[65536];
  while (descriptor >= 0) {
    const ssize_t count = read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) break;
    if (count <= 0) {
      unwatch(descriptor);
    } else {
      output_.append(number, stream, std::string_view(buffer, static_cast<std::size_t>(count)));
      // Nobody reads it any more: the node finds its pipe closed, as the program would alone.
      if (output_.is_broken(stream)) unwatch(descriptor);
    }
    if (!to_the_end) break;
  }
  if (to_the_end || descriptor < 0) output_.flush_line(number, stream);
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
  for (Node& each : nodes_) {
    if (!each.spared) kill_node(each, SIGKILL);
  }
}

void JobSupervisor::kill_node(Node& node, int signal) {
  if (!node.alive) return;
  if (node.process.has_own_group) kill(-node.process.pid, signal);
  kill(node.process.pid, signal);
}

void JobSupervisor::kill_all(int signal) {
  for (Node& each : nodes_) kill_node(each, signal);
}

bool JobSupervisor::anybody_alive() const {
  return std::any_of(nodes_.begin(), nodes_.end(), [](const Node& each) { return each.alive; });
}

std::string JobSupervisor::name_of(unsigned node) const {
  return fmt::format("node {} (pid {}, {})", node, nodes_[node].process.pid, host_name());
}

void JobSupervisor::write_rest() {
  while (output_.waiting_for() >= 0) {
    pollfd ready = {output_.waiting_for(), POLLOUT, 0};
    poll(&ready, 1, -1);
    output_.write_some();
  }
}

}  // namespace weft
