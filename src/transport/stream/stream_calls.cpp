// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How connections come to be: calls to peers, calls of peers, and what strangers try.
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "transport/stream/stream_sockets.hpp"
#include "transport/stream/stream_state.hpp"
#include "transport/stream/stream_transport.hpp"

namespace weft {
namespace {

using namespace std::chrono_literals;

constexpr int kAcceptedPerPoll = 16;
constexpr std::chrono::milliseconds kLeastPause = 5ms, kLongestPause = 500ms;

}  // namespace

void StreamTransport::call(Peer& target) {
  const Time now = Clock::now();
  target.call_again = Time::max();
  target.first_call = std::min(target.first_call, now);
  Result<int> socket =
      calling_socket(target.address, options_.address.without_port(), options_.silence_limit);
  if (!socket) return call_again_later(target, socket.error());
  Connection& connection = add_connection(socket.value(), target.node, EPOLLOUT);
  connection.is_call = true;
  connection.stage = StreamStage::kConnecting;
  connection.deadline = answer_deadline(target);
  target.call = &connection;
  is_timer_right_ = false;
}

// A host that does not answer is as silent as one that has stopped answering.
StreamTransport::Time StreamTransport::answer_deadline(const Peer& target) const {
  if (options_.silence_limit.count() == 0) return Time::max();
  return target.first_call + options_.silence_limit;
}

void StreamTransport::call_again_later(Peer& target, const std::string& reason) {
  const Time now = Clock::now();
  if (now >= target.first_call + options_.welcome_limit) return fail(target, reason);
  target.pause = std::clamp(2 * target.pause, kLeastPause, kLongestPause);
  target.call_again = now + target.pause;
  is_timer_right_ = false;
}

void StreamTransport::on_connected(Connection& call) {
  int error = 0;
  socklen_t bytes = sizeof error;
  getsockopt(call.socket, SOL_SOCKET, SO_ERROR, &error, &bytes);
  if (error != 0) {
    // Peers listen before anyone has their addresses: nobody there means that it has gone.
    Peer& target = peer(call.peer);
    const bool is_given_up = call.is_given_up;
    close(call);
    if (is_given_up) return;
    target.call = nullptr;
    return fail(target, std::strerror(error));
  }
  call.stage = StreamStage::kProving;
  call.deadline = Time::max();
  is_timer_right_ = false;
  call.link = links_->call(call.peer);
  watch(call, EPOLLIN);
  flush(call);
}

void StreamTransport::on_proven(Connection& connection) {
  if (!connection.is_call) return answer_proven(connection);
  connection.stage = StreamStage::kAsking;
}

void StreamTransport::answer_proven(Connection& connection) {
  forget_unproven(connection);
  connection.deadline = Time::max();
  connection.peer = connection.link->peer();
  const std::size_t from = connection.peer.value();
  if (from >= peers_.size() || peers_[from] == nullptr || peers_[from]->failed) {
    return close(connection);
  }
  Peer& caller = *peers_[from];
  if (caller.connection != nullptr) {
    // Whoever calls again has given up what was welcomed; what was confirmed stays.
    if (caller.connection->stage == StreamStage::kEstablished) return close(connection);
    close(*caller.connection);
    caller.connection = nullptr;
  }
  if (caller.call != nullptr) {
    if (caller.node > options_.self) return close(connection);
    caller.call->is_given_up = true;
    caller.call = nullptr;
  }
  caller.call_again = Time::max();
  caller.connection = &connection;
  connection.stage = StreamStage::kWelcomed;
  put(connection, StreamFrameKind::kWelcome);
}

void StreamTransport::on_welcome(Connection& call) {
  if (call.is_given_up) return close(call);
  Peer& called = peer(call.peer);
  called.call = nullptr;
  called.connection = &call;
  called.first_call = Time::max();
  call.stage = StreamStage::kEstablished;
  put(call, StreamFrameKind::kConfirm);
}

void StreamTransport::on_confirm(Connection& connection) {
  connection.stage = StreamStage::kEstablished;
  peer(connection.peer).first_call = Time::max();
}

// --- those who come ---

void StreamTransport::accept_some() {
  for (int turn = 0; turn < kAcceptedPerPoll; ++turn) {
    const int socket = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) {
      // Others wait in the kernel until there is room again.
      listens_ = false;
      is_timer_right_ = false;
      watch_descriptor(epoll_, EPOLL_CTL_MOD, listener_, 0, &listener_);
    }
    if (socket < 0) return;
    if (unproven_.size() >= options_.most_unproven) make_room_for_one();
    Connection& connection =
        add_connection(prepared(socket, options_.silence_limit), NodeId(), EPOLLIN);
    connection.deadline = Clock::now() + options_.proof_limit;
    unproven_.push_back(&connection);
    is_timer_right_ = false;
  }
}

void StreamTransport::make_room_for_one() { end(*unproven_.front(), "too many others came"); }

void StreamTransport::forget_unproven(Connection& connection) {
  const auto found = std::find(unproven_.begin(), unproven_.end(), &connection);
  if (found != unproven_.end()) unproven_.erase(found);
}

// --- time ---

void StreamTransport::on_time() {
  is_timer_right_ = false;
  const Time now = Clock::now();
  while (!unproven_.empty() && unproven_.front()->deadline <= now) {
    end(*unproven_.front(), "it proved nothing in time");
  }
  for (const std::unique_ptr<Peer>& each : peers_) {
    if (each == nullptr || each->failed) continue;
    if (each->call != nullptr && each->call->deadline <= now) fail(*each, std::strerror(ETIMEDOUT));
    if (each->call_again <= now) {
      each->call_again = Time::max();
      pump(*each);
    }
  }
  if (listens_) return;
  listens_ = true;
  watch_descriptor(epoll_, EPOLL_CTL_MOD, listener_, EPOLLIN, &listener_);
}

StreamTransport::Time StreamTransport::next_deadline() const {
  Time next = listens_ ? Time::max() : Clock::now() + kLongestPause;
  if (!unproven_.empty()) next = std::min(next, unproven_.front()->deadline);
  for (const std::unique_ptr<Peer>& each : peers_) {
    if (each == nullptr || each->failed) continue;
    next = std::min(next, each->call_again);
    if (each->call != nullptr) next = std::min(next, each->call->deadline);
  }
  return next;
}

void StreamTransport::set_timer() {
  is_timer_right_ = true;
  const Time next = next_deadline();
  itimerspec when = {};
  if (next != Time::max()) {
    const auto since_start = std::max<std::chrono::nanoseconds>(next.time_since_epoch(), 1ns);
    when.it_value.tv_sec = static_cast<time_t>(since_start / 1s);
    when.it_value.tv_nsec = static_cast<long>((since_start % 1s).count());
  }
  timerfd_settime(timer_, TFD_TIMER_ABSTIME, &when, nullptr);
}

}  // namespace weft
