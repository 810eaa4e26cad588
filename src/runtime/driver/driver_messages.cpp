// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's messages: the protocol's, and the services' beside it.
#include <optional>
#include <utility>

#include "base/peers/sender.hpp"
#include "base/signal_safe_mutex.hpp"
#include "runtime/driver/driver.hpp"

namespace weft {
// --- sending ---

void Driver::serve(Service service, ServiceHandler handler) {
  const std::lock_guard guard(lock_);
  for (const auto& [from, request] : services_.serve(service, std::move(handler))) {
    const ReadingFrom sender(from);
    on_request(from, request);
  }
  handle_posts();
}

Bytes Driver::call(NodeId to, Service service, Bytes request) {
  Wait wait;
  {
    const std::lock_guard guard(lock_);
    send_service(to, ServiceKind::kRequest, service, wait.id().value(), std::move(request));
  }
  wait_until_done(wait, board::WaitKind::kOtherNode, to.value());
  note_sender(to);  // the caller reads it
  return std::move(wait.reply);
}

void Driver::notify(NodeId to, Service service, Bytes request) {
  const auto guard = lock_for_sending();
  send_service(to, ServiceKind::kNotify, service, 0, std::move(request));
  if (guard.owns_lock()) duty_.rouse();
}

void Driver::notify_bulk(NodeId to, Service service, Bytes head, Bytes data) {
  MessageSegments segments;
  segments.reserve(2);
  segments.push_back(service_message(ServiceKind::kNotify, ServiceRequest{service, 0, head}));
  if (!data.empty()) segments.emplace_back(std::move(data));
  const auto guard = lock_for_sending();
  engine_.handle_send();
  transmit(to, Channel::kData, std::move(segments), Loudness::kLoud);
  if (guard.owns_lock()) duty_.rouse();
}

void Driver::post(NodeId to, Service service, Bytes payload) {
  Bytes body = to_bytes(ServiceRequest{service, /*wait=*/0, payload});
  const auto guard = lock_for_sending();
  engine_.handle_post(to, std::move(body));
  if (!guard.owns_lock()) return;
  handle_posts();
  rouse();
}

std::unique_lock<UncancelledMutex> Driver::lock_for_sending() {
  if (services_.is_handler_thread()) return {};
  return std::unique_lock(lock_);
}

void Driver::announce_end() {
  const std::lock_guard guard(lock_);
  for (NodeId node(1); node.value() < node_count(); ++node) {
    send_service(node, ServiceKind::kNotify, Service::kShutdown, 0, {});
  }
}

void Driver::send(NodeId to, Priority priority, Bytes message) {
  send_with(to, priority, std::move(message), {});
}

void Driver::send_tail(NodeId to, Priority priority, Bytes message, Bytes tail) {
  MessageSegments segments;
  segments.reserve(2);
  segments.push_back(std::move(message));
  segments.push_back(std::move(tail));
  send_segments(to, priority, std::move(segments));
}

void Driver::send_with(NodeId to, Priority priority, Bytes message,
                       std::span<const ByteView> lent) {
  MessageSegments segments;
  segments.reserve(1 + lent.size());
  segments.push_back(std::move(message));
  for (const ByteView bytes : lent) segments.push_back(MessageSegment(bytes));
  send_segments(to, priority, std::move(segments));
}

void Driver::send_segments(NodeId to, Priority priority, MessageSegments segments) {
  ++protocol_sent_;
  const auto type = static_cast<MessageType>(segments.front().bytes().front());
  transmit(to, priority == Priority::kControl ? Channel::kControl : Channel::kData,
           std::move(segments), may_wait(type) ? Loudness::kQuiet : Loudness::kLoud);
}

void Driver::send_service(NodeId to, ServiceKind kind, Service service, std::uint64_t wait,
                          Bytes body) {
  engine_.handle_send();
  transmit(to, Channel::kControl, service_message(kind, ServiceRequest{service, wait, body}));
}

void Driver::transmit(NodeId to, Channel channel, Bytes message) {
  MessageSegments segments;
  segments.push_back(std::move(message));
  transmit(to, channel, std::move(segments), Loudness::kLoud);
}

void Driver::transmit(NodeId to, Channel channel, MessageSegments segments, Loudness loudness) {
  std::size_t all_bytes = 0;
  for (const MessageSegment& segment : segments) all_bytes += segment.bytes().size();
  board::note_sent(all_bytes);
  parts_.transport->send(to, channel, std::move(segments), loudness);
  note_sends();
}

void Driver::note_sends() { duty_.note_sends(parts_.transport->needs_polling()); }

// A node that waits for a region passes it on down the tree.
void Driver::note_awaits() {
  const bool waits_for_region = rest_.is_at_rest() && self() != NodeId(0);
  duty_.note_awaits(waits_for_region || engine_.awaits_others());
}

void Driver::rouse() {
  note_awaits();
  duty_.rouse();
}

// --- receiving ---

std::size_t Driver::poll(ArmedFor what) {
  if (engine_.is_meeting()) engine_.handle_meeting(/*gives_up=*/false);
  const std::size_t messages = parts_.transport->poll(receiver_, what);
  handle_posts();
  note_sends();
  note_awaits();
  last_shown_.store(engine_.last_shown().bytes(), std::memory_order_relaxed);
  epoch_.store(engine_.epoch().value(), std::memory_order_release);
  if (messages > 0) progress_.note();
  return messages;
}

void Driver::on_message(NodeId from, ByteView message) {
  const ReadingFrom sender(from);
  if (message.empty()) fail_unreadable("a message", 0);
  board::note_received();
  const auto kind = static_cast<ServiceKind>(message.front());
  if (kind < ServiceKind::kRequest) return on_protocol_message(from, message);
  engine_.note_heard();
  message = message.subspan(1);
  if (kind == ServiceKind::kCheck) return check_->on_message(from, message);
  if (kind != ServiceKind::kReply) return on_request(from, message);
  const auto reply = value_of<ServiceReply>(message);
  Wait& wait = Wait::of(WaitId(reply.wait));
  wait.reply.assign(reply.body.begin(), reply.body.end());
  wait.finish();
}

void Driver::on_protocol_message(NodeId from, ByteView message) {
  ++protocol_received_;
  relieve_memory();  // for what comes: one poll may bring more than there is room for
  tell_of_flushes();
  if (!noted_) return engine_.handle_message(from, message);
  const auto type = static_cast<MessageType>(message.front());
  noted_->set_cause({.message = type, .from = from, .epoch = engine_.epoch()});
  engine_.handle_message(from, message);
  noted_->set_cause({.message = std::nullopt, .from = self(), .epoch = engine_.epoch()});
}

void Driver::on_request(NodeId from, ByteView message) {
  std::optional<Bytes> answer = services_.handle(from, message);
  if (answer) transmit(from, Channel::kControl, std::move(*answer));
}

void Driver::handle_posts() {
  while (services_.has_posts()) {
    const auto [from, post] = services_.take_post();
    const ReadingFrom sender(from);
    on_request(from, post);
  }
}

void Driver::deliver_post(NodeId from, ByteView payload) { services_.add_post(from, payload); }

}  // namespace weft
