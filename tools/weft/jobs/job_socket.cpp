// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/jobs/job_socket.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/assert.hpp"

namespace weft {
namespace {

// More at once are a mistake, and may not take the launcher's descriptors.
constexpr std::size_t kMostConnections = 64;

void send(FrameLink& link, JobMessage kind, ByteView body) {
  link.send(static_cast<std::uint8_t>(kind), body);
}

}  // namespace

Result<std::unique_ptr<JobSocket>> JobSocket::open(const char* version) {
  auto socket = RuntimeFolder::listen(std::to_string(getpid()));
  if (!socket) return Failure{socket.error()};
  return std::unique_ptr<JobSocket>(new JobSocket(std::move(socket.value()), version));
}

JobSocket::JobSocket(RuntimeFolder::Socket socket, const char* version)
    : socket_(std::move(socket)), version_(version), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  WEFT_ASSERT(epoll_ >= 0, "{}", std::strerror(errno));
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.fd = socket_.descriptor;
  epoll_ctl(epoll_, EPOLL_CTL_ADD, socket_.descriptor, &event);
}

JobSocket::~JobSocket() {
  hide();
  close(socket_.descriptor);
  close(epoll_);
}

void JobSocket::hide() {
  if (!std::exchange(is_hidden_, true)) socket_.folder.remove(socket_.name);
}

void JobSocket::handle(JobRequests& requests) {
  epoll_event event;
  if (epoll_wait(epoll_, &event, 1, 0) != 1) return;
  if (event.data.fd == socket_.descriptor) return take_connection();
  Connection& connection = *connections_.at(event.data.fd);
  connection.link.write_some();
  connection.link.read_some();
  while (const auto frame = connection.link.next()) handle(connection, *frame, requests);
  watch_for_room(connection);
  // Nobody asks so much that the answers pile up.
  if (connection.link.is_open() && !connection.link.is_full()) return;
  connections_.erase(event.data.fd);  // which closes it
}

void JobSocket::take_connection() {
  const int descriptor = accept4(socket_.descriptor, nullptr, nullptr, SOCK_CLOEXEC);
  if (descriptor < 0) return;
  if (count_commands() >= kMostConnections) {
    close(descriptor);
    return;
  }
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.fd = descriptor;
  epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event);
  connections_.emplace(descriptor, std::make_unique<Connection>(descriptor));
}

std::size_t JobSocket::count_commands() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      connections_, [](const auto& each) { return !each.second->node.has_value(); }));
}

void JobSocket::handle(Connection& connection, const StreamFrame& frame,
                       JobRequests& requests) const {
  if (!connection.node) return handle_request(connection, frame, requests);
  const auto views = from_bytes<HostViews>(frame.body);
  const bool is_answer = static_cast<JobMessage>(frame.kind) == JobMessage::kViews && views &&
                         views->nodes.size() == 1 && makes_sense(*views, *connection.node, 1);
  if (!is_answer) return connection.link.close();
  requests.on_views(*views);
}

void JobSocket::handle_request(Connection& connection, const StreamFrame& frame,
                               JobRequests& requests) const {
  const auto kind = static_cast<JobMessage>(frame.kind);
  if (kind == JobMessage::kJoin) return on_join(connection, frame, requests);
  JobRequest request;
  WireReader wire(frame.body);
  wire(request.version);
  if (request.version != version_) {
    const std::string sentence =
        fmt::format("it runs under Weft {}, and this is Weft {}", version_, request.version);
    return send(connection.link, JobMessage::kRefused, std::as_bytes(std::span(sentence)));
  }
  const bool understood = from_bytes(frame.body, request);
  if (understood && kind == JobMessage::kAskState) {
    connection.waits = true;
    requests.on_state_wanted(request.texts);
  } else if (understood && kind == JobMessage::kAskSignal) {
    const std::string refusal = requests.why_no_signal(request.signal);
    if (!refusal.empty()) {
      return send(connection.link, JobMessage::kRefused, std::as_bytes(std::span(refusal)));
    }
    send(connection.link, JobMessage::kDone, {});
    requests.on_signal_wanted(request.signal);
  } else {
    connection.link.close();
  }
}

void JobSocket::on_join(Connection& connection, const StreamFrame& frame,
                        const JobRequests& requests) const {
  const auto join = from_bytes<JobJoin>(frame.body);
  if (!join || join->version != version_ || has_joined(join->node) ||
      !requests.may_join(join->node)) {
    return connection.link.close();
  }
  connection.node = join->node;
}

bool JobSocket::has_joined(unsigned node) const {
  return std::ranges::any_of(connections_,
                             [node](const auto& each) { return each.second->node == node; });
}

void JobSocket::send_to_joined(JobMessage kind, ByteView body) {
  for (const auto& [descriptor, connection] : connections_) {
    if (!connection->node) continue;
    send(connection->link, kind, body);
    watch_for_room(*connection);
  }
}

void JobSocket::look(const ViewQuestion& question) {
  send_to_joined(JobMessage::kLook, to_bytes(question));
}

void JobSocket::signal(int number) { send_to_joined(JobMessage::kSignal, to_bytes(number)); }

void JobSocket::answer(const JobState& state) {
  const Bytes message = to_bytes(state);
  for (const auto& [descriptor, connection] : connections_) {
    if (!std::exchange(connection->waits, false)) continue;
    send(connection->link, JobMessage::kState, message);
    watch_for_room(*connection);
  }
}

void JobSocket::watch_for_room(Connection& connection) const {
  const bool wanted = connection.link.queued_bytes() > 0;
  if (!connection.link.is_open() || wanted == connection.waits_for_room) return;
  connection.waits_for_room = wanted;
  epoll_event event = {};
  event.events = wanted ? EPOLLIN | EPOLLOUT : EPOLLIN;
  event.data.fd = connection.link.in();
  epoll_ctl(epoll_, EPOLL_CTL_MOD, connection.link.in(), &event);
}

}  // namespace weft
