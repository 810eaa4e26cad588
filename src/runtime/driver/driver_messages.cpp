// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's messages: the protocol's, and the services' beside it.
#include <utility>

#include "base/assert.hpp"
#include "base/codec.hpp"
#include "base/futex.hpp"
#include "base/signal_safe_mutex.hpp"
#include "runtime/driver/driver.hpp"

namespace weft {
namespace {

// Behind the kind, but in a post, where `wait` is 0: no answer is wanted.
struct Request {
  Service service = {};
  std::uint64_t wait = 0;  // the asker's
  ByteView body;
  WEFT_FIELDS(self.service, self.wait, rest(self.body))
};

struct Reply {
  std::uint64_t wait = 0;
  ByteView body;
  WEFT_FIELDS(self.wait, rest(self.body))
};

// The kind is one byte, as it is told from the protocol's types by that.
template <typename Kind, typename Message>
Bytes message_of(Kind kind, const Message& message) {
  Bytes out;
  out.reserve(16 + message.body.size());
  out.push_back(static_cast<std::byte>(kind));
  WireWriter wire(out);
  wire(message);
  return out;
}

}  // namespace

// --- sending ---

void Driver::serve(Service service, ServiceHandler handler) {
  const std::lock_guard guard(lock_);
  handlers_[static_cast<int>(service)] = std::move(handler);
  std::vector<std::pair<NodeId, Bytes>> early;
  early.swap(early_requests_);
  for (const auto& [from, request] : early) on_request(from, request);
  handle_posts();
}

Bytes Driver::call(NodeId to, Service service, Bytes request) {
  Wait wait;
  {
    const std::lock_guard guard(lock_);
    send_service(to, Kind::kRequest, service, wait.id().value(), std::move(request));
  }
  wait_until_done(wait);
  return std::move(wait.reply);
}

void Driver::notify(NodeId to, Service service, Bytes request) {
  const auto guard = lock_for_sending();
  send_service(to, Kind::kNotify, service, 0, std::move(request));
  if (guard.owns_lock()) rouse_service_thread();
}

void Driver::post(NodeId to, Service service, Bytes payload) {
  Bytes body = to_bytes(Request{service, /*wait=*/0, payload});
  const auto guard = lock_for_sending();
  engine_.handle_post(to, std::move(body));
  if (!guard.owns_lock()) return;
  handle_posts();
  rouse_service_thread();
}

std::unique_lock<SignalSafeMutex> Driver::lock_for_sending() {
  if (handler_thread_.load(std::memory_order_relaxed) == std::this_thread::get_id()) return {};
  return std::unique_lock(lock_);
}

void Driver::announce_end() {
  const std::lock_guard guard(lock_);
  for (unsigned node = 1; node < node_count(); ++node) {
    send_service(NodeId(static_cast<std::uint16_t>(node)), Kind::kNotify, Service::kShutdown, 0,
                 {});
  }
}

void Driver::send(NodeId to, Priority priority, Bytes message) {
  send_with(to, priority, std::move(message), {});
}

void Driver::send_with(NodeId to, Priority priority, Bytes message,
                       std::span<const ByteView> lent) {
  ++protocol_sent_;
  transmit(to, priority == Priority::kControl ? Channel::kControl : Channel::kData,
           std::move(message), lent);
}

void Driver::send_service(NodeId to, Kind kind, Service service, std::uint64_t wait, Bytes body) {
  engine_.handle_send();
  transmit(to, Channel::kControl, message_of(kind, Request{service, wait, body}));
}

void Driver::transmit(NodeId to, Channel channel, Bytes message, std::span<const ByteView> lent) {
  MessageSegments segments;
  segments.reserve(1 + lent.size());
  segments.push_back(std::move(message));
  for (const ByteView bytes : lent) segments.push_back(MessageSegment(bytes));
  parts_.transport->send(to, channel, std::move(segments));
  note_sends();
}

void Driver::note_sends() {
  sends_need_polling_.store(parts_.transport->needs_polling(), std::memory_order_relaxed);
}

void Driver::rouse_service_thread() {
  if (!sends_need_polling_.load(std::memory_order_relaxed)) return;
  doorbell_.ring();
}

// --- receiving ---

std::size_t Driver::poll() {
  const std::size_t messages = parts_.transport->poll(receiver_);
  handle_posts();
  note_sends();
  epoch_.store(engine_.epoch().value(), std::memory_order_release);
  if (messages > 0) {
    relieve_memory();
    progress_.fetch_add(1, std::memory_order_seq_cst);
    if (progress_sleepers_.load(std::memory_order_seq_cst) > 0) futex_wake_all(progress_);
  }
  return messages;
}

void Driver::on_message(NodeId from, ByteView message) {
  WEFT_ASSERT(!message.empty(), "an empty message from node {}", from.value());
  const auto kind = static_cast<Kind>(message.front());
  if (kind < Kind::kRequest) return on_protocol_message(from, message);
  message = message.subspan(1);
  if (kind == Kind::kCheck) return check_->on_message(from, message);
  if (kind != Kind::kReply) return on_request(from, message);
  const auto reply = value_of<Reply>(message);
  Wait& wait = Wait::of(WaitId(reply.wait));
  wait.reply.assign(reply.body.begin(), reply.body.end());
  finish(wait);
}

void Driver::on_protocol_message(NodeId from, ByteView message) {
  ++protocol_received_;
  if (has_flushed_.load(std::memory_order_relaxed) && has_flushed_.exchange(false)) {
    engine_.note_flush();
  }
  if (!noted_) return engine_.handle_message(from, message);
  const auto type = static_cast<MessageType>(message.front());
  noted_->set_cause({.message = type, .from = from, .epoch = engine_.epoch()});
  engine_.handle_message(from, message);
  noted_->set_cause({.message = std::nullopt, .from = self(), .epoch = engine_.epoch()});
}

void Driver::on_request(NodeId from, ByteView message) {
  const auto [service, wait, body] = value_of<Request>(message);
  if (service == Service::kShutdown) {
    program_ended_ = true;
    publication_signal_.fetch_add(1, std::memory_order_acq_rel);
    futex_wake_all(publication_signal_);
    return;
  }
  WEFT_ASSERT(service < Service::kCount, "service {}", static_cast<int>(service));
  if (!handlers_[static_cast<int>(service)]) {
    early_requests_.emplace_back(from, Bytes(message.begin(), message.end()));
    return;
  }
  handler_thread_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  Bytes reply = handlers_[static_cast<int>(service)](from, body);
  handler_thread_.store({}, std::memory_order_relaxed);
  if (wait == 0) return;
  transmit(from, Channel::kControl, message_of(Kind::kReply, Reply{wait, reply}));
}

void Driver::handle_posts() {
  while (!posts_.empty()) {
    const auto [from, post] = std::move(posts_.front());
    posts_.pop_front();
    on_request(from, post);
  }
}

// Handled when the engine is done with what it is at: a handler may post, and so enter it again.
void Driver::deliver_post(NodeId from, ByteView payload) {
  posts_.emplace_back(from, Bytes(payload.begin(), payload.end()));
}

}  // namespace weft
