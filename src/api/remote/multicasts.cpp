// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/remote/multicasts.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "api/remote/link.hpp"
#include "api/remote/links.hpp"

namespace weft::remote {
namespace {

constexpr std::size_t kArity = 4;  // as of the barrier's tree

SentTarget sent(const Target& target) {
  SentTarget sent{.node = NodeId(static_cast<std::uint16_t>(target.node)),
                  .number = target.number,
                  .secret = target.secret,
                  .notice = std::nullopt};
  if (target.has_notice) sent.notice = SentNotice{target.notice};
  return sent;
}

// The first node of each group gets the rest, to pass it on.
template <typename Send>
void divide(std::span<const SentTarget> targets, Send&& send) {
  const std::size_t groups = std::min(kArity, targets.size());
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t begin = group * targets.size() / groups;
    const std::size_t end = (group + 1) * targets.size() / groups;
    send(targets[begin], targets.subspan(begin + 1, end - begin - 1));
  }
}

std::vector<NodeId> nodes_of(std::span<const SentTarget> targets) {
  std::vector<NodeId> nodes;
  for (const SentTarget& target : targets) nodes.push_back(target.node);
  return nodes;
}

// If so, it counts as one more until all its parts are sent: no other tree begins between them.
bool begins_tree(std::span<const SentTarget> targets) {
  if (targets.size() <= kArity) return false;
  std::vector<NodeId> nodes = nodes_of(targets);
  const std::lock_guard guard(links->lock);
  if (links->multicasts > 0 && links->multicast_nodes != nodes) return false;
  bool is_free = true;
  divide(targets, [&](const SentTarget&, std::span<const SentTarget> further) {
    for (const SentTarget& each : further) is_free &= links->to(each.node).is_idle();
  });
  std::vector<NodeId> sorted = nodes;
  std::ranges::sort(sorted);
  if (!is_free || std::ranges::adjacent_find(sorted) != sorted.end()) return false;
  links->multicast_nodes = std::move(nodes);
  ++links->multicasts;
  return true;
}

Request request_for(const Request& whole, const SentTarget& target,
                    std::span<const SentTarget> further, bool with_notices) {
  Request request = whole;
  request.number = target.number;
  request.secret = target.secret;
  request.notice = with_notices ? target.notice : std::nullopt;
  request.further.assign(further.begin(), further.end());
  if (with_notices) return request;
  for (SentTarget& each : request.further) each.notice.reset();
  return request;
}

void add_part(std::span<const SentTarget> targets, const Operation& part, bool is_last,
              Record& record) {
  const Request whole = request_of(part, nullptr);
  const Bytes data = data_of(part);
  const std::lock_guard guard(links->lock);
  divide(targets, [&](const SentTarget& first, std::span<const SentTarget> further) {
    Link& link = links->to(first.node);
    Asked asked{.record = &record, .place = {}, .further = nodes_of(further)};
    for (const NodeId node : asked.further) ++links->to(node).multicasts_elsewhere;
    if (!further.empty()) ++links->multicasts;
    link.add(link.packets, request_for(whole, first, further, is_last), data, std::move(asked),
             part.is_message);
  });
}

void send_by_tree(std::span<const SentTarget> targets, const Operation& operation, Record& record) {
  send_in_parts(operation, [&](const Operation& part, bool is_last) {
    add_part(targets, part, is_last, record);
    divide(targets, [&](const SentTarget& first, std::span<const SentTarget>) {
      Link& link = links->to(first.node);
      send_due(link);
      wait_for_room(link);
    });
  });
}

void send_to_each(std::span<const SentTarget> targets, const Operation& operation, Record& record) {
  for (const SentTarget& target : targets) {
    Operation own = operation;
    own.number = target.number;
    own.secret = target.secret;
    send_operation(target.node, own, target.notice ? &target.notice->notice : nullptr, record);
  }
}

}  // namespace

void send_multicast(std::span<const Target> targets, const Operation& operation, Record& record) {
  std::vector<SentTarget> all;
  for (const Target& target : targets) all.push_back(sent(target));
  if (!begins_tree(all)) return send_to_each(all, operation, record);
  send_by_tree(all, operation, record);
  const std::lock_guard guard(links->lock);
  --links->multicasts;
}

void pass_on(NodeId from, const Request& request, ByteView data, int error) {
  auto* const record = new Record;
  record->passed = Passed{from, request.id};
  record->note(error);
  const std::lock_guard guard(links->lock);
  divide(request.further, [&](const SentTarget& first, std::span<const SentTarget> further) {
    Link& link = links->to(first.node);
    link.add(link.forwarded, request_for(request, first, further, true),
             Bytes(data.begin(), data.end()), {.record = record, .place = {}, .further = {}},
             false);
  });
  (void)end_operation(*record, WEFT_OK);  // this node's part; others are under way
}

void send_passed_on() {
  for (Link& link : links->all) {
    bool has_some = false;
    {
      const std::lock_guard guard(links->lock);
      has_some = !link.forwarded.empty();
    }
    if (has_some) send_due(link);
  }
}

}  // namespace weft::remote
