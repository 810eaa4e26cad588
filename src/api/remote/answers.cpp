// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What came of operations that this node has asked for, and what it owes others of theirs.
#include <algorithm>
#include <mutex>
#include <utility>

#include "api/remote/answering.hpp"
#include "api/remote/link.hpp"
#include "api/remote/links.hpp"

namespace weft::remote {
namespace {

// By way of another node. Adds those to which other packets may leave now.
void end_multicast(const std::vector<NodeId>& nodes, std::vector<NodeId>& reached) {
  if (nodes.empty()) return;
  --links->multicasts;
  for (const NodeId node : nodes) {
    if (--links->to(node).multicasts_elsewhere == 0) reached.push_back(node);
  }
}

// With the lock.
void take_answer(Link& link, const Answer& answer, ByteView data, std::vector<NodeId>& reached) {
  for (std::uint64_t id = answer.first; id < answer.first + answer.count; ++id) {
    Asked& asked = link.asked[id - link.first_id];
    Record& record = *std::exchange(asked.record, nullptr);
    if (answer.error == 0 && asked.place.near != nullptr) {
      if (!fill_registered(asked.place, data)) {
        asked.place.data.assign(data.begin(), data.end());
        record.returns.push_back(std::move(asked.place));
      }
    }
    link.bytes_under_way -= asked.bytes;
    end_multicast(asked.further, reached);
    const auto passed = end_operation(record, -int{answer.error});
    if (passed) links->passed.push_back(*passed);
  }
  while (!link.asked.empty() && link.asked.front().record == nullptr) {
    link.asked.pop_front();
    ++link.first_id;
  }
}

// Whether an answer is of what was asked, and has the bytes that were asked for.
bool is_expected(const Link& link, const Answer& answer) {
  if (answer.first < link.first_id || answer.count == 0 || answer.count > link.asked.size() ||
      answer.first - link.first_id > link.asked.size() - answer.count) {
    return false;
  }
  for (std::uint64_t i = 0; i < answer.count; ++i) {
    const Asked& asked = link.asked[answer.first - link.first_id + i];
    const bool has_data = asked.place.near != nullptr && answer.error == 0;
    const std::uint64_t bytes = has_data ? asked.place.bytes * asked.place.count : 0;
    if (asked.record == nullptr || bytes != answer.data_bytes) return false;
    if (has_data && answer.count > 1 && bytes > 0) return false;
  }
  return true;
}

// With the lock.
void take_all(Link& link, const Answered& answered, ByteView data, std::vector<NodeId>& reached) {
  ByteView rest = data;
  for (const Answer& answer : answered.answers) {
    if (answer.data_bytes > rest.size() || !is_expected(link, answer)) {
      fail_unreadable("answers of remote memory operations", data.size());
    }
    take_answer(link, answer, rest.first(answer.data_bytes), reached);
    rest = rest.subspan(answer.data_bytes);
  }
  link.end_packets(answered.packets);
  link.answered.fetch_add(1);
  if (std::exchange(link.is_awaited, false)) links->node->wake(link.answered);
}

// To each node what was passed on for it, together.
void answer(std::vector<Passed>& passed) {
  std::ranges::sort(passed, {}, &Passed::from);
  for (std::size_t next = 0; next < passed.size();) {
    const NodeId to = passed[next].from;
    Answering answers(*links->node, to);
    for (; next < passed.size() && passed[next].from == to; ++next) {
      answers.add(passed[next].id, passed[next].error, {});
    }
    answers.send();
  }
}

}  // namespace

void take_answers(NodeId from, const Answered& answered, ByteView data) {
  if (answered.is_empty()) return;
  Link& link = links->to(from);
  std::vector<NodeId> reached;
  std::vector<Passed> passed;
  {
    const std::lock_guard guard(links->lock);
    take_all(link, answered, data, reached);
    passed.swap(links->passed);
  }
  send_due(link);
  for (const NodeId node : reached) send_due(links->to(node));
  answer(passed);
}

void note_answering(NodeId to, bool begins) { links->to(to).is_being_answered.store(begins); }

void hold_answers(NodeId to, Answered answered) {
  const std::lock_guard guard(links->lock);
  links->to(to).held.add(std::move(answered));
}

Answered take_held_answers(NodeId to) {
  const std::lock_guard guard(links->lock);
  return std::exchange(links->to(to).held, Answered());
}

}  // namespace weft::remote
