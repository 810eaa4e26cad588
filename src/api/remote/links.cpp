// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/remote/links.hpp"

#include <sched.h>

#include <mutex>
#include <utility>

#include "api/remote/link.hpp"
#include "api/remote/messages.hpp"
#include "api/remote/records.hpp"
#include "api/remote/shared.hpp"
#include "base/futex.hpp"
#include "base/remote/remote_abi.hpp"
#include "stacks/stacks.hpp"

namespace weft::remote {
namespace {

constexpr std::uint64_t kMostUnderWay = std::uint64_t{16} << 20;  // to one node

void add(Link& link, const Operation& operation, const Notice* notice, Record& record) {
  Request request = request_of(operation, notice);
  Bytes data = data_of(operation);
  Asked asked{.record = &record, .place = {}, .further = {}};
  const bool comes_back = operation.kind == Kind::kGet || operation.kind == Kind::kAtomic;
  if (comes_back && operation.near != nullptr) {
    asked.place = {operation.near, operation.near_stride, operation.bytes, operation.count, {}};
  }
  {
    const std::lock_guard guard(links->lock);
    link.add(link.packets, std::move(request), std::move(data), std::move(asked),
             operation.is_message);
  }
  // The message that has let this thread go on is being answered: that is to go with this packet,
  // which could not leave before it either, for the node's lock.
  while (link.is_being_answered.load()) sched_yield();
  send_due(link);
}

}  // namespace

Links* links = nullptr;

Request request_of(const Operation& operation, const Notice* notice) {
  Request request{.kind = operation.kind,
                  .number = operation.number,
                  .secret = operation.secret,
                  .offset = operation.offset,
                  .stride = operation.stride,
                  .bytes = operation.bytes,
                  .count = operation.count,
                  .change = {},
                  .notice = {},
                  .further = {}};
  if (operation.kind == Kind::kAtomic) {
    request.change = SentChange{.operation = operation.change,
                                .type = operation.type,
                                .operand = word_at<std::uint64_t>(operation.operand),
                                .expected = word_at<std::uint64_t>(operation.expected),
                                .wants_old = operation.near != nullptr};
  }
  if (notice != nullptr) request.notice = SentNotice{*notice};
  return request;
}

Bytes data_of(const Operation& operation) {
  if (operation.kind == Kind::kGet || operation.kind == Kind::kAtomic) return {};
  Bytes data(operation.bytes * operation.count);
  copy_blocks(data.data(), operation.bytes, operation.near, operation.near_stride, operation.bytes,
              operation.count);
  return data;
}

void wait_for_room(Link& link) {
  std::unique_lock guard(links->lock);
  while (link.bytes_under_way > kMostUnderWay) {
    link.is_hurried = link.is_awaited = true;
    const std::uint32_t seen = link.answered.load();
    guard.unlock();
    send_due(link);
    links->node->wait_while(link.answered, seen, std::nullopt);
    guard.lock();
  }
}

void send_due(Link& link) {
  std::unique_lock guard(links->lock);
  if (link.is_sending) return;
  link.is_sending = true;
  while (link.is_due()) {
    Packet packet = link.take_packet();
    Bytes head = to_bytes(PacketKind::kRequests, packet.may_wait,
                          std::exchange(link.held, Answered()), packet.count);
    guard.unlock();
    head.insert(head.end(), packet.requests.begin(), packet.requests.end());
    links->node->notify_bulk(link.to, Service::kRemote, std::move(head), std::move(packet.data));
    guard.lock();
  }
  link.is_sending = false;
}

Record& begin_record() {
  auto* const record = new Record;
  record->account = account_here();
  record->account->under_way.fetch_add(1);
  return *record;
}

void send_operation(NodeId to, const Operation& operation, const Notice* notice, Record& record) {
  Link& link = links->to(to);
  send_in_parts(operation, [&](const Operation& part, bool is_last) {
    wait_for_room(link);
    add(link, part, is_last ? notice : nullptr, record);
  });
}

void end_sending(Record& record, int error, const std::optional<Notice>& notice, bool has_request) {
  const std::lock_guard guard(links->lock);
  record.has_request = has_request;
  record.notice = notice;
  (void)end_operation(record, error);
}

void hurry_operations(bool with_messages) {
  for (Link& link : links->all) {
    {
      const std::lock_guard guard(links->lock);
      // An empty packet asks for answers that may wait.
      if (with_messages && link.packets.empty() && link.answers_may_wait)
        link.packets.emplace_back();
      if (link.packets.empty()) continue;
      link.is_hurried = true;
    }
    send_due(link);
  }
}

int wait_for_record(Record& record) {
  hurry_operations(false);
  finish_shared_operations_of(record);
  {
    const std::lock_guard guard(links->lock);
    record.is_awaited = true;
  }
  links->node->wait_while(record.state, Record::kUnderWay, std::nullopt);
  settle(record);
  const int error = record.error;
  delete &record;
  return error;
}

int wait_for_account(std::size_t at_most) {
  ThreadAccount& account = *account_here();
  hurry_operations(account.under_way.load() > at_most);
  advance_shared_operations();
  const std::uint32_t begun = account.under_way.load();
  if (begun > at_most) finish_oldest_shared_operations(begun - at_most);
  std::unique_lock guard(links->lock);
  account.is_awaited = true;
  for (;;) {
    const std::uint32_t now = account.under_way.load();
    if (now <= at_most) break;
    guard.unlock();
    links->node->wait_while(account.under_way, now, std::nullopt);
    guard.lock();
  }
  account.is_awaited = false;
  const std::vector<Record*> over = std::exchange(account.to_settle, {});
  int first = std::exchange(account.first_error, WEFT_OK);
  guard.unlock();
  for (Record* const record : over) {
    settle(*record);
    if (first == WEFT_OK) first = record->error;
    delete record;
  }
  return first;
}

void make_links(Node& node) {
  links = new Links;
  links->node = &node;
  links->all = std::vector<Link>(node.node_count());
  for (std::size_t i = 0; i < links->all.size(); ++i) {
    links->all[i].to = NodeId(static_cast<std::uint16_t>(i));
  }
}

}  // namespace weft::remote
