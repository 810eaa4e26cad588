// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/remote/links.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "api/remote/link.hpp"
#include "api/remote/messages.hpp"
#include "api/remote/records.hpp"
#include "base/futex.hpp"
#include "base/remote/remote_abi.hpp"
#include "stacks/stacks.hpp"

namespace weft::remote {
namespace {

constexpr std::uint64_t kLargestPart = std::uint64_t{256} << 10;  // of one operation
constexpr std::uint64_t kMostUnderWay = std::uint64_t{16} << 20;  // to one node
constexpr std::uint64_t kBesideData = 128;                        // of each operation, about

Request request_of(const Operation& operation, const Notice* notice) {
  Request request{.kind = operation.kind,
                  .number = operation.number,
                  .secret = operation.secret,
                  .offset = operation.offset,
                  .stride = operation.stride,
                  .bytes = operation.bytes,
                  .count = operation.count,
                  .change = {},
                  .notice = {}};
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

// The program's bytes, before any lock is taken.
Bytes data_of(const Operation& operation) {
  if (operation.kind == Kind::kGet || operation.kind == Kind::kAtomic) return {};
  Bytes data(operation.bytes * operation.count);
  copy_blocks(data.data(), operation.bytes, operation.near, operation.near_stride, operation.bytes,
              operation.count);
  return data;
}

// Waits until there is room for more to that node.
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

void add(Link& link, const Operation& operation, const Notice* notice, Record& record) {
  Request request = request_of(operation, notice);
  Bytes data = data_of(operation);
  const bool comes_back = operation.kind == Kind::kGet || operation.kind == Kind::kAtomic;
  {
    const std::lock_guard guard(links->lock);
    request.id = link.next_id();
    Asked asked{
        .record = &record, .place = {}, .bytes = kBesideData + operation.bytes * operation.count};
    if (comes_back && operation.near != nullptr) {
      asked.place = {operation.near, operation.near_stride, operation.bytes, operation.count, {}};
    }
    link.bytes_under_way += asked.bytes;
    link.asked.push_back(std::move(asked));
    ++record.operations;
    const bool is_large = data.size() >= Packet::kFull;
    if (link.packets.empty() || link.packets.back().is_full() || is_large) {
      link.packets.emplace_back();
    }
    Packet& packet = link.packets.back();
    ++packet.count;
    packet.may_wait &= operation.is_message;
    WireWriter(packet.requests)(request);
    append(packet.data, std::move(data));
  }
  send_due(link);
}

// Large operations go in parts, so that the node copies one while another is on its way.
void send_parts(Link& link, const Operation& whole, const Notice* notice, Record& mine) {
  const bool is_copy = whole.kind == Kind::kPut || whole.kind == Kind::kGet;
  Operation part = whole;
  // What is left in `part` is at most so large then, in bytes of a block or in blocks.
  const auto cut = [&](std::uint64_t Operation::* size, std::uint64_t most, std::uint64_t far_bytes,
                       std::uint64_t near_bytes) {
    while (part.*size > most) {
      Operation first = part;
      first.*size = most;
      add(link, first, nullptr, mine);
      part.offset += far_bytes;
      part.near += near_bytes;
      part.*size -= most;
      wait_for_room(link);
    }
  };
  if (is_copy && whole.count == 1) {
    cut(&Operation::bytes, kLargestPart, kLargestPart, kLargestPart);
  } else if (is_copy && whole.bytes > 0) {
    const std::uint64_t blocks = std::max<std::uint64_t>(1, kLargestPart / whole.bytes);
    cut(&Operation::count, blocks, blocks * whole.stride, blocks * whole.near_stride);
  }
  add(link, part, notice, mine);
}

}  // namespace

Links* links = nullptr;

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
  Link& link = links->all[to.value()];
  wait_for_room(link);
  send_parts(link, operation, notice, record);
}

void end_sending(Record& record, int error, const std::optional<Notice>& notice, bool has_request) {
  const std::lock_guard guard(links->lock);
  record.has_request = has_request;
  record.notice = notice;
  end_operation(record, error);
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
