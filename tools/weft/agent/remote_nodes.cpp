// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/agent/remote_nodes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/assert.hpp"

extern char** environ;

namespace weft {
namespace {

// What an epoll event is about.
enum class Source : std::uint32_t { kLink, kRoom, kTimer, kInput, kComplaints };

constexpr int kLeavingMs = 5000;               // for a command whose connection has ended
constexpr std::size_t kComplaintBytes = 2000;  // that are kept: the end of it tells most

std::string text(ByteView bytes) {
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void add(int epoll, int descriptor, Source source, std::uint32_t events) {
  epoll_event event = {};
  event.events = events;
  event.data.u32 = static_cast<std::uint32_t>(source);
  epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

// The last line that is not empty, without its end.
std::string last_line(std::string said) {
  while (!said.empty() && (said.back() == '\n' || said.back() == '\r' || said.back() == '.')) {
    said.pop_back();
  }
  const std::size_t begin = said.find_last_of('\n');
  return begin == std::string::npos ? said : said.substr(begin + 1);
}

struct Command {
  pid_t process = -1;
  int in = -1, out = -1, error = -1;  // this end
};

// A session of its own: no terminal to ask for a password at, and none of its signals.
Result<Command> run_command(std::vector<std::string>& words) {
  int in[2], out[2], error[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(error, O_CLOEXEC) != 0) {
    return Failure{fmt::format("no pipes: {}", std::strerror(errno))};
  }
  std::vector<char*> arguments;
  for (std::string& each : words) arguments.push_back(each.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, error[1], STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  Command command{.in = out[0], .out = in[1], .error = error[0]};
  const int failed = posix_spawnp(&command.process, arguments[0], &actions, &attributes,
                                  arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  for (const int each : {in[0], out[1], error[1]}) close(each);
  if (failed == 0) return command;
  for (const int each : {in[1], out[0], error[0]}) close(each);
  return Failure{fmt::format("cannot run {}: {}", words[0], std::strerror(failed))};
}

}  // namespace

Result<std::unique_ptr<RemoteNodes>> RemoteNodes::reach(const std::string& name,
                                                        std::vector<std::string> command) {
  const auto running = run_command(command);
  if (!running) return Failure{fmt::format("host {}: {}", name, running.error())};
  const Command& ends = running.value();
  return std::unique_ptr<RemoteNodes>(
      new RemoteNodes(name, ends.in, ends.out, ends.error, ends.process));
}

RemoteNodes::RemoteNodes(std::string name, int in, int out, int complaints, pid_t process)
    : name_(std::move(name)),
      link_(in, out),
      complaints_(complaints),
      process_(process),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
  WEFT_ASSERT(epoll_ >= 0 && timer_ >= 0, "{}", std::strerror(errno));
  fcntl(complaints_, F_SETFL, O_NONBLOCK);
}

RemoteNodes::~RemoteNodes() {
  for (const int each : {epoll_, timer_}) close(each);
  link_.close();
  reap(lost_ ? 0 : kLeavingMs);
  close(complaints_);
}

int RemoteNodes::reap(int patience_ms) {
  if (process_ < 0) return -1;
  const int death = static_cast<int>(syscall(SYS_pidfd_open, process_, 0));
  // Without a descriptor it is gone already.
  pollfd ended = {death, POLLIN, 0};
  if (death >= 0 && poll(&ended, 1, patience_ms) != 1) kill(process_, SIGKILL);
  if (death >= 0) close(death);
  int status = -1;
  waitpid(std::exchange(process_, -1), &status, 0);
  return status;
}

Status RemoteNodes::advance() {
  link_.read_some();
  while (!has_started()) {
    const auto frame = link_.next();
    if (!frame) break;
    const auto kind = static_cast<AgentMessage>(frame->kind);
    if (kind == AgentMessage::kRefused) return Failure{"host " + name_ + ": " + text(frame->body)};
    if (kind == AgentMessage::kHello) hello_ = from_bytes<AgentHello>(frame->body);
    if (kind == AgentMessage::kStarted) {
      if (!from_bytes(frame->body, pids_) || pids_.size() != count_) pids_.clear();
    }
    const bool understood = (kind == AgentMessage::kHello && hello_) ||
                            (kind == AgentMessage::kStarted && has_started()) ||
                            kind == AgentMessage::kAlive;
    if (!understood) return Failure{fmt::format("host {}: its agent is of another version", name_)};
  }
  if (has_started()) {
    begin_events();
  } else if (!link_.is_open()) {
    return Failure{fmt::format("host {}: {}", name_, epitaph())};
  }
  return {};
}

void RemoteNodes::start(const AgentPlan& plan) {
  first_ = plan.first;
  count_ = plan.nodes_here;
  silence_limit_ = std::chrono::milliseconds(plan.silence_limit_ms);
  reads_input_ = first_ == 0;
  link_.send(AgentMessage::kStart, to_bytes(plan));
}

void RemoteNodes::begin_events() {
  link_.set_limit(silence_limit_);
  add(epoll_, link_.in(), Source::kLink, EPOLLIN);
  add(epoll_, timer_, Source::kTimer, EPOLLIN);
  add(epoll_, complaints_, Source::kComplaints, EPOLLIN);
  if (reads_input_) {
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.u32 = static_cast<std::uint32_t>(Source::kInput);
    input_is_file_ = epoll_ctl(epoll_, EPOLL_CTL_ADD, STDIN_FILENO, &event) != 0;
  }
  set_timer(link_.period());
}

// Fires at once, for what has come already, and then in each period.
void RemoteNodes::set_timer(std::chrono::milliseconds period) const {
  itimerspec times = {};
  times.it_value.tv_nsec = 1;
  times.it_interval.tv_sec = period.count() / 1000;
  times.it_interval.tv_nsec = period.count() % 1000 * 1'000'000;
  timerfd_settime(timer_, 0, &times, nullptr);
}

void RemoteNodes::handle(NodeEvents& events) {
  epoll_event event;
  if (lost_ || epoll_wait(epoll_, &event, 1, 0) != 1) return;
  switch (static_cast<Source>(event.data.u32)) {
    case Source::kTimer: {
      std::uint64_t count = 0;
      (void)!read(timer_, &count, sizeof count);
      break;
    }
    case Source::kRoom:
      link_.write_some();
      break;
    case Source::kInput:
      read_input();
      break;
    case Source::kComplaints:
      read_complaints();
      break;
    case Source::kLink:
      break;
  }
  if (input_is_file_) read_input();
  link_.read_some();
  bool understood = true;
  while (const auto frame = link_.next()) understood = understood && hand_over(*frame, events);
  link_.show_life();
  watch_for_room();
  if (!understood) return lose("its agent says what makes no sense", events);
  if (!link_.is_open()) return lose(epitaph(), events);
  if (link_.is_silent()) {
    lose(fmt::format("nothing was heard from it for {} s",
                     std::chrono::ceil<std::chrono::seconds>(silence_limit_).count()),
         events);
  }
}

bool RemoteNodes::hand_over(const StreamFrame& frame, NodeEvents& events) {
  switch (static_cast<AgentMessage>(frame.kind)) {
    case AgentMessage::kAlive:
      return true;
    case AgentMessage::kFromNode: {
      const auto message = from_bytes<NodeMessage>(frame.body);
      if (!message || !is_here(message->node)) return false;
      events.on_message(message->node, message->kind, message->body);
      return true;
    }
    case AgentMessage::kOutput: {
      const auto output = from_bytes<NodeOutput>(frame.body);
      if (!output || !is_here(output->node) || (output->stream & ~1) != 0) return false;
      link_.send(AgentMessage::kTaken, to_bytes(NodeStream{output->node, output->stream}));
      events.on_output(output->node, output->stream, output->bytes);
      return true;
    }
    case AgentMessage::kOutputEnd: {
      const auto stream = from_bytes<NodeStream>(frame.body);
      if (!stream || !is_here(stream->node) || (stream->stream & ~1) != 0) return false;
      events.on_output_end(stream->node, stream->stream);
      return true;
    }
    case AgentMessage::kDeath: {
      const auto end = from_bytes<NodeEnd>(frame.body);
      if (!end || !is_here(end->node)) return false;
      events.on_death(end->node, end->death);
      return true;
    }
    case AgentMessage::kViews: {
      const auto views = from_bytes<HostViews>(frame.body);
      if (!views || !makes_sense(*views, first_, count_)) return false;
      events.on_views(*views);
      return true;
    }
    default:
      return false;
  }
}

void RemoteNodes::lose(const std::string& why, NodeEvents& events) {
  lost_ = true;
  events.on_host_lost(fmt::format("host {} is lost: {}; the job is ended", name_, why));
}

void RemoteNodes::watch_for_room() {
  const bool wanted = link_.queued_bytes() > 0;
  if (wanted == waits_for_room_) return;
  waits_for_room_ = wanted;
  if (wanted) {
    add(epoll_, link_.out(), Source::kRoom, EPOLLOUT);
  } else {
    epoll_ctl(epoll_, EPOLL_CTL_DEL, link_.out(), nullptr);
  }
}

void RemoteNodes::read_input() {
  if (!reads_input_ || link_.is_full()) return;
  std::byte buffer[65536];
  const ssize_t count = read(STDIN_FILENO, buffer, sizeof buffer);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  const auto size = count < 0 ? 0 : static_cast<std::size_t>(count);
  link_.send(AgentMessage::kInput, ByteView(buffer, size));
  if (size == 0) {
    reads_input_ = false;
    if (!input_is_file_) epoll_ctl(epoll_, EPOLL_CTL_DEL, STDIN_FILENO, nullptr);
  }
  // A file is read on as long as there is room.
  if (input_is_file_) set_timer(link_.period());
}

void RemoteNodes::read_complaints() {
  char buffer[4096];
  ssize_t count = 0;
  while ((count = read(complaints_, buffer, sizeof buffer)) > 0) {
    said_.append(buffer, static_cast<std::size_t>(count));
    if (said_.size() > kComplaintBytes) said_.erase(0, said_.size() - kComplaintBytes);
  }
  if (count == 0) epoll_ctl(epoll_, EPOLL_CTL_DEL, complaints_, nullptr);
}

std::string RemoteNodes::epitaph() {
  // The stream has ended, and so will the command: what it says, it says now.
  const int status = reap(kLeavingMs);
  read_complaints();
  const std::string said = last_line(said_);
  constexpr int kNotFound = 127;  // as a shell says it
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotFound) {
    return fmt::format("{}; is Weft installed there, in the same place?", said);
  }
  if (!said.empty()) return said;
  if (WIFSIGNALED(status)) {
    return fmt::format("the connection's process was killed by signal {}", WTERMSIG(status));
  }
  return fmt::format("the connection has ended (status {})", WEXITSTATUS(status));
}

void RemoteNodes::send(unsigned node, BootstrapMessage kind, ByteView body) {
  link_.send(AgentMessage::kToNode,
             to_bytes(NodeMessage{node, kind, Bytes(body.begin(), body.end())}));
  watch_for_room();
}

void RemoteNodes::send_to_all(BootstrapMessage kind, ByteView body) {
  link_.send(AgentMessage::kToAll,
             to_bytes(NodeMessage{first_, kind, Bytes(body.begin(), body.end())}));
  watch_for_room();
}

void RemoteNodes::signal(unsigned node, int number) {
  link_.send(AgentMessage::kSignal, to_bytes(NodeSignal{node, number}));
  watch_for_room();
}

void RemoteNodes::close_output(unsigned node, int stream) {
  link_.send(AgentMessage::kCloseOutput, to_bytes(NodeStream{node, stream}));
  watch_for_room();
}

void RemoteNodes::look(const ViewQuestion& question, NodeEvents&) {
  link_.send(AgentMessage::kLook, to_bytes(question));
  watch_for_room();
}

std::string RemoteNodes::name_of(unsigned node) const {
  return fmt::format("node {} (pid {}, {})", node, pids_[node - first_], name_);
}

}  // namespace weft
