// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/agent/remote_nodes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/assert.hpp"

namespace weft {
namespace {

// What an epoll event is about.
enum class Source : std::uint32_t { kLink, kRoom, kTimer, kInput, kComplaints };

constexpr const char* kNonsense = "its agent says what makes no sense";

std::string text(ByteView bytes) {
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void add(int epoll, int descriptor, Source source, std::uint32_t events) {
  epoll_event event = {};
  event.events = events;
  event.data.u32 = static_cast<std::uint32_t>(source);
  epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

}  // namespace

Result<std::unique_ptr<RemoteNodes>> RemoteNodes::reach(const std::string& name,
                                                        std::vector<std::string> command,
                                                        std::shared_ptr<const StageStream> stage) {
  auto started = AgentProcess::start(std::move(command));
  if (!started) return Failure{fmt::format("host {}: {}", name, started.error())};
  std::unique_ptr<RemoteNodes> host(new RemoteNodes(name));
  host->process_ = std::move(started.value());
  host->process_->link().send_first(std::move(stage));
  return host;
}

std::unique_ptr<RemoteNodes> RemoteNodes::reach_through(RemoteNodes& way, const std::string& name,
                                                        std::vector<std::string> command,
                                                        bool staged) {
  std::unique_ptr<RemoteNodes> host(new RemoteNodes(name));
  host->way_ = &way;
  host->channel_ = static_cast<unsigned>(way.below_.size());
  way.below_.push_back(host.get());
  way.tell(AgentMessage::kReach, to_bytes(AgentReach{host->channel_, std::move(command), staged}));
  return host;
}

RemoteNodes::RemoteNodes(std::string name)
    : name_(std::move(name)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
  WEFT_ASSERT(epoll_ >= 0 && timer_ >= 0, "{}", std::strerror(errno));
}

RemoteNodes::~RemoteNodes() {
  for (RemoteNodes* const each : below_) {
    if (each != nullptr) each->way_ = nullptr;
  }
  if (way_ != nullptr) way_->below_[channel_] = nullptr;
  for (const int each : {epoll_, timer_}) close(each);
  if (process_ && lost_) process_->give_up();
}

RemoteNodes& RemoteNodes::first_on_the_way() {
  RemoteNodes* host = this;
  while (host->way_ != nullptr) host = host->way_;
  return *host;
}

FrameLink* RemoteNodes::stream() {
  AgentProcess* const process = first_on_the_way().process_.get();
  return process == nullptr ? nullptr : &process->link();
}

void RemoteNodes::add_to(std::vector<pollfd>& waiting) {
  FrameLink* const link = stream();
  if (link == nullptr) return;
  waiting.push_back({link->in(), POLLIN, 0});
  if (link->queued_bytes() > 0) waiting.push_back({link->out(), POLLOUT, 0});
}

// --- what comes ---

void RemoteNodes::read_frames() {
  if (process_ == nullptr) return;
  process_->link().read_some();
  while (auto frame = process_->link().next()) distribute(std::move(*frame));
}

void RemoteNodes::distribute(StreamFrame frame) {
  const auto kind = static_cast<AgentMessage>(frame.kind);
  if (kind == AgentMessage::kAlive) {
    ++signs_of_staging_;
  } else if (kind == AgentMessage::kBelow) {
    auto wrapped = from_bytes<BelowFrame>(frame.body);
    RemoteNodes* const below = wrapped ? at_channel(wrapped->channel) : nullptr;
    if (below != nullptr) below->distribute({wrapped->kind, std::move(wrapped->body)});
  } else if (kind == AgentMessage::kBelowEnded) {
    const auto end = from_bytes<BelowEnd>(frame.body);
    RemoteNodes* const below = end ? at_channel(end->channel) : nullptr;
    if (below != nullptr) below->end_ = end->reason;
  } else {
    arrived_.push_back(std::move(frame));
  }
}

RemoteNodes* RemoteNodes::at_channel(unsigned channel) {
  if (channel < below_.size()) return below_[channel];
  end_ = kNonsense;
  return nullptr;
}

std::string RemoteNodes::why_lost() {
  if (!end_.empty()) return end_;
  if (process_ != nullptr) {
    if (!process_->link().is_open()) end_ = process_->epitaph();
  } else if (way_ == nullptr) {
    end_ = "the host through which it was reached is gone";
  } else if (const std::string above = way_->why_lost(); !above.empty()) {
    end_ = fmt::format("host {}, through which it was reached, is lost: {}", way_->name_, above);
  }
  return end_;
}

// --- the start ---

Status RemoteNodes::advance() {
  if (FrameLink* const link = stream()) {
    link->write_some();
    first_on_the_way().read_frames();
  }
  while (!has_started() && !arrived_.empty()) {
    const StreamFrame frame = std::move(arrived_.front());
    arrived_.pop_front();
    if (const Status taken = take_first_frame(frame); !taken) return taken;
  }
  if (has_started()) {
    begin_events();
  } else if (const std::string why = why_lost(); !why.empty()) {
    return Failure{fmt::format("host {}: {}", name_, why)};
  }
  return {};
}

Status RemoteNodes::take_first_frame(const StreamFrame& frame) {
  const auto kind = static_cast<AgentMessage>(frame.kind);
  if (kind == AgentMessage::kRefused) return Failure{"host " + name_ + ": " + text(frame.body)};
  if (kind == AgentMessage::kHello) hello_ = from_bytes<AgentHello>(frame.body);
  if (kind == AgentMessage::kStarted) {
    if (!from_bytes(frame.body, pids_) || pids_.size() != count_) pids_.clear();
  }
  const bool is_answer = kind == AgentMessage::kExamined || kind == AgentMessage::kListening ||
                         kind == AgentMessage::kProbed;
  if (is_answer) answer_ = frame.body;
  const bool understood = is_answer || (kind == AgentMessage::kHello && hello_) ||
                          (kind == AgentMessage::kStarted && has_started());
  if (understood) return {};
  return Failure{fmt::format("host {}: its agent is of another version", name_)};
}

void RemoteNodes::start(const AgentPlan& plan) {
  first_ = plan.first;
  count_ = plan.nodes_here;
  silence_limit_ = std::chrono::milliseconds(plan.silence_limit_ms);
  reads_input_ = first_ == 0;
  WEFT_ASSERT(!reads_input_ || process_, "node 0 is on {}, which another host reaches", name_);
  tell(AgentMessage::kStart, to_bytes(plan));
}

void RemoteNodes::begin_events() {
  if (process_ == nullptr) return;
  process_->link().set_limit(silence_limit_);
  add(epoll_, process_->link().in(), Source::kLink, EPOLLIN);
  add(epoll_, timer_, Source::kTimer, EPOLLIN);
  add(epoll_, process_->complaints(), Source::kComplaints, EPOLLIN);
  if (reads_input_) {
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.u32 = static_cast<std::uint32_t>(Source::kInput);
    input_is_file_ = epoll_ctl(epoll_, EPOLL_CTL_ADD, STDIN_FILENO, &event) != 0;
  }
  set_timer(process_->link().period());
}

// Fires at once, for what has come already, and then in each period.
void RemoteNodes::set_timer(std::chrono::milliseconds period) const {
  itimerspec times = {};
  times.it_value.tv_nsec = 1;
  times.it_interval.tv_sec = period.count() / 1000;
  times.it_interval.tv_nsec = period.count() % 1000 * 1'000'000;
  timerfd_settime(timer_, 0, &times, nullptr);
}

// --- events ---

void RemoteNodes::handle(NodeEvents& events) {
  epoll_event event;
  if (lost_ || process_ == nullptr || epoll_wait(epoll_, &event, 1, 0) != 1) return;
  switch (static_cast<Source>(event.data.u32)) {
    case Source::kTimer: {
      std::uint64_t count = 0;
      (void)!read(timer_, &count, sizeof count);
      break;
    }
    case Source::kRoom:
      process_->link().write_some();
      break;
    case Source::kInput:
      read_input();
      break;
    case Source::kComplaints:
      if (!process_->read_complaints()) {
        epoll_ctl(epoll_, EPOLL_CTL_DEL, process_->complaints(), nullptr);
      }
      break;
    case Source::kLink:
      break;
  }
  if (input_is_file_) read_input();
  read_frames();
  hand_over_all(events);
  look_for_losses(events);
  show_life();
  watch_for_room();
  if (!lost_ && process_->link().is_silent()) lose(nothing_was_heard("it", silence_limit_), events);
}

void RemoteNodes::hand_over_all(NodeEvents& events) {
  while (!arrived_.empty()) {
    const StreamFrame frame = std::move(arrived_.front());
    arrived_.pop_front();
    if (!hand_over(frame, events)) end_ = kNonsense;
  }
  for (RemoteNodes* const each : below_) {
    if (each != nullptr && !each->lost_) each->hand_over_all(events);
  }
}

// Of a host and those below it, the host is named.
void RemoteNodes::look_for_losses(NodeEvents& events) {
  if (lost_) return;
  if (const std::string why = why_lost(); !why.empty()) return lose(why, events);
  for (RemoteNodes* const each : below_) {
    if (each != nullptr) each->look_for_losses(events);
  }
}

bool RemoteNodes::hand_over(const StreamFrame& frame, NodeEvents& events) {
  switch (static_cast<AgentMessage>(frame.kind)) {
    case AgentMessage::kFromNode: {
      const auto message = from_bytes<NodeMessage>(frame.body);
      if (!message || !is_here(message->node)) return false;
      events.on_message(message->node, message->kind, message->body);
      return true;
    }
    case AgentMessage::kOutput: {
      const auto output = from_bytes<NodeOutput>(frame.body);
      if (!output || !is_here(output->node) || (output->stream & ~1) != 0) return false;
      tell(AgentMessage::kTaken, to_bytes(NodeStream{output->node, output->stream}));
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
  std::string sentence = fmt::format("host {} is lost: {}", name_, why);
  if (way_ != nullptr) sentence += fmt::format(" (it was reached through {})", way_->name_);
  const std::vector<std::string> others = names_below();
  if (!others.empty()) {
    sentence += fmt::format("; with it {}, reached through it", fmt::join(others, ", "));
  }
  events.on_host_lost(*this, sentence + "; the job is ended");
  lose_those_below(events);
}

void RemoteNodes::lose_those_below(NodeEvents& events) {
  for (RemoteNodes* const each : below_) {
    if (each == nullptr || std::exchange(each->lost_, true)) continue;
    events.on_host_lost(*each,
                        fmt::format("host {} is lost: it was reached through {}; the job is ended",
                                    each->name_, name_));
    each->lose_those_below(events);
  }
}

std::vector<std::string> RemoteNodes::names_below() const {
  std::vector<std::string> names;
  for (const RemoteNodes* const each : below_) {
    if (each == nullptr) continue;
    names.push_back(each->name_);
    for (std::string& further : each->names_below()) names.push_back(std::move(further));
  }
  return names;
}

void RemoteNodes::watch_for_room() {
  const bool wanted = process_->link().queued_bytes() > 0;
  if (wanted == waits_for_room_) return;
  waits_for_room_ = wanted;
  if (wanted) {
    add(epoll_, process_->link().out(), Source::kRoom, EPOLLOUT);
  } else {
    epoll_ctl(epoll_, EPOLL_CTL_DEL, process_->link().out(), nullptr);
  }
}

void RemoteNodes::read_input() {
  if (!reads_input_ || process_->link().is_full()) return;
  std::byte buffer[65536];
  const ssize_t count = read(STDIN_FILENO, buffer, sizeof buffer);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  const auto size = count < 0 ? 0 : static_cast<std::size_t>(count);
  tell(AgentMessage::kInput, ByteView(buffer, size));
  if (size == 0) {
    reads_input_ = false;
    if (!input_is_file_) epoll_ctl(epoll_, EPOLL_CTL_DEL, STDIN_FILENO, nullptr);
  }
  // A file is read on as long as there is room.
  if (input_is_file_) set_timer(process_->link().period());
}

// --- what goes ---

void RemoteNodes::tell(AgentMessage kind, ByteView body) {
  if (process_ != nullptr) {
    process_->link().send(kind, body);
    watch_for_room();
  } else if (way_ != nullptr) {
    way_->tell(AgentMessage::kBelow, to_bytes(BelowFrame{channel_, static_cast<std::uint8_t>(kind),
                                                         Bytes(body.begin(), body.end())}));
  }
}

void RemoteNodes::send(unsigned node, BootstrapMessage kind, ByteView body) {
  tell(AgentMessage::kToNode, to_bytes(NodeMessage{node, kind, Bytes(body.begin(), body.end())}));
}

// Agents pass it on to the hosts below them.
void RemoteNodes::send_to_all(BootstrapMessage kind, ByteView body) {
  if (process_ == nullptr) return;
  tell(AgentMessage::kToAll, to_bytes(NodeMessage{first_, kind, Bytes(body.begin(), body.end())}));
}

void RemoteNodes::signal(unsigned node, int number) {
  tell(AgentMessage::kSignal, to_bytes(NodeSignal{node, number}));
}

void RemoteNodes::close_output(unsigned node, int stream) {
  tell(AgentMessage::kCloseOutput, to_bytes(NodeStream{node, stream}));
}

void RemoteNodes::look(const ViewQuestion& question, NodeEvents&) {
  tell(AgentMessage::kLook, to_bytes(question));
}

std::string RemoteNodes::name_of(unsigned node) const {
  return fmt::format("node {} (pid {}, {})", node, pids_[node - first_], name_);
}

}  // namespace weft
