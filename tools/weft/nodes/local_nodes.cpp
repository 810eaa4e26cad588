// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/nodes/local_nodes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <span>

#include "base/assert.hpp"
#include "runtime/bootstrap/this_host.hpp"
#include "weft/nodes/descendants.hpp"
#include "weft/watch/kernel_view.hpp"
#include "weft/watch/places.hpp"
#include "weft/watch/process_view.hpp"

namespace weft {
namespace {

constexpr std::size_t kReadBytes = 65536;

void close_if_open(int& descriptor) {
  if (descriptor >= 0) close(descriptor);  // which takes it out of the epoll set
  descriptor = -1;
}

epoll_event event_of(std::uint32_t source, unsigned index, int stream) {
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.u64 =
      (std::uint64_t{index} << 32) | (static_cast<std::uint64_t>(stream) << 16) | source;
  return event;
}

}  // namespace

LocalNodes::LocalNodes(unsigned first) : first_(first), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  WEFT_ASSERT(epoll_ >= 0, "{}", std::strerror(errno));
  if (!may_dump_core()) return;
  dump_timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  const itimerspec each_second = {.it_interval = {1, 0}, .it_value = {1, 0}};
  timerfd_settime(dump_timer_, 0, &each_second, nullptr);
  watch(dump_timer_, Source::kDumpTimer, 0);
}

LocalNodes::~LocalNodes() {
  for (Node& each : nodes_) {
    NodeProcess& process = each.process;
    for (int* descriptor :
         {&process.death, &process.link, &process.streams[0], &process.streams[1]}) {
      close_if_open(*descriptor);
    }
  }
  for (int& each : peeking_) close_if_open(each);
  close_if_open(dump_timer_);
  close(epoll_);
}

Result<std::unique_ptr<LocalNodes>> LocalNodes::start(const SpawnPlan& plan, unsigned first,
                                                      unsigned count) {
  std::unique_ptr<LocalNodes> all(new LocalNodes(first));
  for (unsigned number = first; number < first + count; ++number) {
    auto started =
        spawn_node(plan, number,
                   plan.processors.empty() ? ProcessorSet() : plan.processors.at(number - first));
    if (!started) {
      all->kill_all();
      return Failure{started.error()};
    }
    all->add(std::move(started.value()));
  }
  return all;
}

void LocalNodes::add(NodeProcess started) {
  const auto index = static_cast<unsigned>(nodes_.size());
  nodes_.push_back(Node{.number = first_ + index,
                        .process = std::move(started),
                        .from_node = {},
                        .stopped_since = {}});
  const NodeProcess& process = nodes_.back().process;
  watch(process.death, Source::kDeath, index);
  watch(process.link, Source::kLink, index);
  for (const int stream : {0, 1}) {
    if (process.streams[stream] < 0) continue;
    watch(process.streams[stream], Source::kStream, index, stream);
  }
}

void LocalNodes::watch(int descriptor, Source source, unsigned index, int stream) {
  epoll_event event = event_of(static_cast<std::uint32_t>(source), index, stream);
  epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event);
}

// Out of the set altogether: a stream whose writer is gone would be reported again and again.
void LocalNodes::set_watched(const Node& node, int stream, bool watched) const {
  const int descriptor = node.process.streams[stream];
  if (descriptor < 0) return;
  epoll_event event =
      event_of(static_cast<std::uint32_t>(Source::kStream), node.number - first_, stream);
  epoll_ctl(epoll_, watched ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, descriptor, &event);
}

void LocalNodes::hold_output() {
  WEFT_ASSERT(pipe2(peeking_, O_CLOEXEC | O_NONBLOCK) == 0, "{}", std::strerror(errno));
  holds_output_ = true;
}

std::optional<board::NodeSnapshot> LocalNodes::snapshot(unsigned number) const {
  const Node& which = node(number);
  const board::Board* const board = which.process.board.board();
  std::optional<board::NodeSnapshot> now =
      which.alive && board != nullptr ? board::read_board(*board) : std::nullopt;
  if (!now) return std::nullopt;
  // These are known better here.
  now->node = number;
  now->process = static_cast<std::uint32_t>(which.process.pid);
  return now;
}

HostViews LocalNodes::views(const ViewQuestion& question) const {
  HostViews all{
      .asker = question.asker, .number = question.number, .taken_us = monotonic_us(), .nodes = {}};
  bool may_stand = question.standstill;  // where one node moves, nobody cares for the others
  for (const Node& each : nodes_) {
    NodeView view;
    view.node = each.number;
    view.shown = snapshot(each.number);
    if (view.shown && may_stand) {
      view.standstill = standstill_of(each.process.pid, *view.shown);
    }
    may_stand = view.standstill.has_value();
    if (view.shown && question.texts) view.texts = texts_of(each.process.pid, *view.shown);
    if (question.process) view.process = process_of(each);
    all.nodes.push_back(std::move(view));
  }
  return all;
}

ProcessView LocalNodes::process_of(const Node& node) {
  if (node.alive) return look_at_process(node.process.pid);
  return {.pid = node.process.pid, .phase = ProcessPhase::kEnded};
}

std::vector<pid_t> LocalNodes::pids() const {
  std::vector<pid_t> all;
  for (const Node& each : nodes_) all.push_back(each.process.pid);
  return all;
}

void LocalNodes::signal_all(int number) {
  for (const Node& each : nodes_) signal(each.number, number);
}

void LocalNodes::look_for_stopped(std::chrono::milliseconds limit, NodeEvents& events) {
  const auto now = std::chrono::steady_clock::now();
  for (Node& each : nodes_) {
    if (!each.alive || !is_stopped(each.process.pid)) {
      each.stopped_since.reset();
    } else if (!each.stopped_since) {
      each.stopped_since = now;
    } else if (now - *each.stopped_since > limit) {
      each.stopped_since.reset();
      const std::string sentence =
          fmt::format("it has been stopped for {} s, as by SIGSTOP; the job is ended",
                      std::chrono::ceil<std::chrono::seconds>(limit).count());
      const ByteView bytes = std::as_bytes(std::span(sentence));
      events.on_message(each.number, BootstrapMessage::kFailure, Bytes(bytes.begin(), bytes.end()));
    }
  }
}

void LocalNodes::excuse_stopped() {
  for (Node& each : nodes_) each.stopped_since.reset();
}

void LocalNodes::kill_all() {
  signal_all(SIGKILL);
  kill_descendants();
}

void LocalNodes::handle(NodeEvents& events) {
  // One at a time: the kernel gives them in the order in which they became ready, and the first
  // death may make the others meaningless.
  epoll_event event;
  if (epoll_wait(epoll_, &event, 1, 0) != 1) return;
  const auto source = static_cast<Source>(event.data.u64 & 0xffff);
  if (source == Source::kDumpTimer) return look_for_dumps(events);
  Node& which = nodes_[static_cast<std::size_t>(event.data.u64 >> 32)];
  const int stream = static_cast<int>((event.data.u64 >> 16) & 0xffff);
  switch (source) {
    case Source::kDumpTimer:
    case Source::kDeath:
      return on_death(which, events);
    case Source::kLink:
      return read_link(which, events);
    case Source::kStream:
      return holds_output_ ? peek_stream(which, stream, events)
                           : read_stream(which, stream, events);
  }
}

void LocalNodes::read_messages_of_others(unsigned node, NodeEvents& events) {
  for (Node& each : nodes_) {
    if (each.number != node) read_link(each, events);
  }
}

void LocalNodes::read_link(Node& node, NodeEvents& events) {
  if (node.process.link < 0) return;
  std::byte buffer[16384];
  while (true) {
    const ssize_t count = recv(node.process.link, buffer, sizeof buffer, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (count <= 0) {
      close_if_open(node.process.link);
      break;
    }
    node.from_node.append(ByteView(buffer, static_cast<std::size_t>(count)));
  }
  while (const auto message = node.from_node.next()) {
    if (message->first == BootstrapMessage::kCallPlaces) {
      answer_places(node, from_bytes<CallPlaces>(message->second).value_or(CallPlaces()));
    } else {
      events.on_message(node.number, message->first, message->second);
    }
  }
  if (!node.from_node.good()) close_if_open(node.process.link);
}

// Here, as the program's files and the node's memory are on this host.
void LocalNodes::answer_places(const Node& node, const CallPlaces& calls) {
  const CallTexts texts{places_of_calls(node.process.pid, calls.addresses)};
  send(node.number, BootstrapMessage::kCallTexts, to_bytes(texts));
}

void LocalNodes::read_stream(Node& node, int stream, NodeEvents& events) {
  const int descriptor = node.process.streams[stream];
  if (descriptor < 0) return;
  char buffer[kReadBytes];
  const ssize_t count = read(descriptor, buffer, sizeof buffer);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count <= 0) return end_stream(node, stream, events);
  events.on_output(node.number, stream, std::string_view(buffer, static_cast<std::size_t>(count)));
}

void LocalNodes::peek_stream(Node& node, int stream, NodeEvents& events) {
  const int descriptor = node.process.streams[stream];
  if (descriptor < 0) return;
  const ssize_t copied = tee(descriptor, peeking_[1], kReadBytes, SPLICE_F_NONBLOCK);
  if (copied < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (copied <= 0) return end_stream(node, stream, events);
  std::string bytes(static_cast<std::size_t>(copied), '\0');
  std::size_t taken = 0;
  while (taken < bytes.size()) {
    const ssize_t count = read(peeking_[0], bytes.data() + taken, bytes.size() - taken);
    if (count > 0) taken += static_cast<std::size_t>(count);
    if (count <= 0 && errno != EINTR) break;
  }
  node.held_bytes[stream] = bytes.size();
  set_watched(node, stream, false);
  events.on_output(node.number, stream, bytes);
}

void LocalNodes::confirm_output(unsigned number, int stream) {
  Node& which = node(number);
  std::size_t& held = which.held_bytes[stream];
  char buffer[kReadBytes];
  while (held > 0 && which.process.streams[stream] >= 0) {
    const ssize_t count =
        read(which.process.streams[stream], buffer, held < kReadBytes ? held : kReadBytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    held -= static_cast<std::size_t>(count);
  }
  held = 0;
  set_watched(which, stream, true);
}

void LocalNodes::drain_stream(Node& node, int stream, NodeEvents& events) {
  if (node.held_bytes[stream] > 0) confirm_output(node.number, stream);
  char buffer[kReadBytes];
  while (node.process.streams[stream] >= 0) {
    const ssize_t count = read(node.process.streams[stream], buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    // A process that the node has started may have the stream still.
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return end_stream(node, stream, events);
    events.on_output(node.number, stream,
                     std::string_view(buffer, static_cast<std::size_t>(count)));
  }
}

void LocalNodes::end_stream(Node& node, int stream, NodeEvents& events) {
  close_if_open(node.process.streams[stream]);
  events.on_output_end(node.number, stream);
}

// What it has said and printed last.
void LocalNodes::hand_over_rest(Node& node, NodeEvents& events) {
  read_link(node, events);
  for (const int stream : {0, 1}) drain_stream(node, stream, events);
}

// The process is there until its memory is written, which may take minutes. It answers nobody.
void LocalNodes::look_for_dumps(NodeEvents& events) {
  std::uint64_t expirations = 0;
  (void)!read(dump_timer_, &expirations, sizeof expirations);
  for (Node& each : nodes_) {
    const int signal = each.alive && !each.is_dumping ? dumping_signal(each.process.pid) : 0;
    if (signal == 0) continue;
    each.is_dumping = true;
    hand_over_rest(each, events);
    events.on_death(each.number, NodeDeath{.code = CLD_DUMPED, .value = signal, .goes_on = true});
  }
}

void LocalNodes::on_death(Node& node, NodeEvents& events) {
  siginfo_t info = {};
  if (waitid(P_PID, static_cast<id_t>(node.process.pid), &info, WEXITED | WNOHANG) != 0) return;
  if (info.si_pid == 0) return;
  node.alive = false;
  close_if_open(node.process.death);
  hand_over_rest(node, events);
  events.on_death(node.number,
                  NodeDeath{.code = info.si_code, .value = info.si_status, .goes_on = false});
}

void LocalNodes::send(unsigned number, BootstrapMessage kind, ByteView body) {
  const Bytes message = encode_bootstrap_message(kind, body);
  const int link = node(number).process.link;
  ByteView rest = message;
  // A node that is sent something waits for it, so that this cannot block for long.
  while (!rest.empty() && link >= 0) {
    const ssize_t sent = ::send(link, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) break;
    if (sent > 0) rest = rest.subspan(static_cast<std::size_t>(sent));
  }
}

void LocalNodes::send_to_all(BootstrapMessage kind, ByteView body) {
  for (const Node& each : nodes_) send(each.number, kind, body);
}

void LocalNodes::signal(unsigned number, int signal_number) {
  const Node& which = node(number);
  if (!which.alive) return;
  if (which.process.has_own_group) kill(-which.process.pid, signal_number);
  kill(which.process.pid, signal_number);
}

void LocalNodes::close_output(unsigned number, int stream) {
  close_if_open(node(number).process.streams[stream]);
}

bool LocalNodes::shares_terminal(unsigned number) const {
  return !node(number).process.has_own_group;
}

std::string LocalNodes::host() const { return host_name(); }

std::string LocalNodes::name_of(unsigned number) const {
  return fmt::format("node {} (pid {}, {})", number, node(number).process.pid, host_name());
}

}  // namespace weft
