// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/remote/serving.hpp"

#include <atomic>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "api/remote/answering.hpp"
#include "api/remote/links.hpp"
#include "api/remote/messages.hpp"
#include "api/remote/multicasts.hpp"
#include "api/remote/records.hpp"
#include "base/signal_safe_mutex.hpp"

namespace weft::remote {
namespace {

struct WaitingAppend {
  NodeId from;
  Request request;
  Bytes message;
};

struct Serving {
  Node* node = nullptr;
  SignalSafeMutex lock;
  std::unordered_map<std::uint32_t, std::deque<WaitingAppend>> waiting;  // by the FIFO's number
  std::atomic<std::size_t> waiting_count{0};
};
Serving* serving = nullptr;  // never destroyed: threads may use it until the process ends

Operation operation_of(NodeId from, const Request& request, std::byte* near) {
  Operation operation{.kind = request.kind,
                      .number = request.number,
                      .secret = request.secret,
                      .offset = request.offset,
                      .stride = request.stride,
                      .bytes = request.bytes,
                      .count = request.count,
                      .near = near,
                      .near_stride = request.bytes};
  if (request.change) {
    operation.change = request.change->operation;
    operation.type = request.change->type;
    std::memcpy(operation.operand, &request.change->operand, sizeof operation.operand);
    std::memcpy(operation.expected, &request.change->expected, sizeof operation.expected);
  }
  operation.from = from.value();
  return operation;
}

// Blocks that no program could have asked for, and nodes that there are not.
bool is_possible(const Request& request) {
  if (!Blocks::of(request.offset, request.bytes, request.stride, request.count)) return false;
  const Node& node = *serving->node;
  for (const SentTarget& each : request.further) {
    if (each.node.value() >= node.node_count() || each.node == node.self()) return false;
  }
  if (!request.further.empty() && request.kind != Kind::kPut) return false;
  return request.kind != Kind::kAtomic || request.bytes <= sizeof(std::uint64_t);
}

int perform_request(NodeId from, const Request& request, std::byte* near) {
  const int error = perform_here(operation_of(from, request, near));
  if (error != WEFT_OK || !request.notice) return error;
  return notify_here(request.notice->notice);
}

// An operation only reads there.
std::byte* unconst(ByteView data) { return const_cast<std::byte*>(data.data()); }

// False: it has to wait. Those of one FIFO stay in order.
bool append_or_keep(NodeId from, const Request& request, ByteView data, int& error) {
  const std::lock_guard guard(serving->lock);
  serving->waiting_count.fetch_add(1);  // before the last look: the reader looks after it has taken
  const bool is_next = !serving->waiting.contains(request.number);
  error = is_next ? perform_request(from, request, unconst(data)) : WEFT_ERROR_FULL;
  if (error == WEFT_ERROR_FULL) {
    serving->waiting[request.number].push_back({from, request, Bytes(data.begin(), data.end())});
    return false;
  }
  serving->waiting_count.fetch_sub(1);
  return true;
}

void perform_and_answer(NodeId from, const Request& request, ByteView data, Answering& answers) {
  int error = WEFT_OK;
  if (request.kind == Kind::kAppend) {
    if (append_or_keep(from, request, data, error)) answers.add(request.id, error, {});
    return;
  }
  const bool returns = request.kind == Kind::kGet || (request.change && request.change->wants_old);
  Bytes result(returns ? *request.data_bytes() : 0);
  auto* const near = returns ? result.data() : data.empty() ? nullptr : unconst(data);
  error = perform_request(from, request, near);
  if (!request.further.empty()) return pass_on(from, request, data, error);
  if (error != WEFT_OK) result.clear();
  answers.add(request.id, error, std::move(result));
}

// Under the node's lock.
void take_requests(NodeId from, ByteView message) {
  const auto packet = value_of<Requests>(message);
  take_answers(from, packet.answered, {});
  note_answering(from, true);
  Answering answers(*serving->node, from);
  ByteView data = packet.data;
  bool passes_on = false;  // then an answer comes later
  for (const Request& request : packet.requests) {
    const auto bytes = request.data_bytes();
    const bool has_data = bytes && (!request.has_data() || *bytes <= data.size());
    if (!has_data || !is_possible(request)) {
      fail_unreadable("a request for a remote memory operation", message.size());
    }
    const std::uint64_t own = request.has_data() ? *bytes : 0;
    perform_and_answer(from, request, data.first(own), answers);
    passes_on |= !request.further.empty();
    data = data.subspan(own);
  }
  send_passed_on();
  answers.end_packet(packet.may_wait || (passes_on && answers.is_empty()));
  note_answering(from, false);
}

}  // namespace

void serve_operations(Node& node) {
  serving = new Serving;
  serving->node = &node;
  node.serve(Service::kRemote, [](NodeId from, ByteView message) {
    const bool answers =
        !message.empty() && message.front() == static_cast<std::byte>(PacketKind::kAnswers);
    const ByteView body = message.subspan(message.empty() ? 0 : 1);
    if (answers) {
      const auto packet = value_of<Answers>(body);
      take_answers(from, packet.answered, packet.data);
    } else {
      take_requests(from, body);
    }
    return Bytes();
  });
}

void try_waiting_appends(std::uint32_t number) {
  if (serving->waiting_count.load() == 0) return;
  for (;;) {
    std::unique_lock guard(serving->lock);
    const auto found = serving->waiting.find(number);
    if (found == serving->waiting.end() || found->second.empty()) return;
    WaitingAppend& first = found->second.front();
    const int error = perform_request(first.from, first.request, first.message.data());
    if (error == WEFT_ERROR_FULL) return;
    Answering answers(*serving->node, first.from);
    answers.add(first.request.id, error, {});
    found->second.pop_front();
    if (found->second.empty()) serving->waiting.erase(found);
    serving->waiting_count.fetch_sub(1);
    guard.unlock();
    answers.send();
  }
}

}  // namespace weft::remote
