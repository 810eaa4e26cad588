// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/balance/balance.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>

#include "pthread/balance/admission.hpp"
#include "pthread/balance/looks.hpp"
#include "pthread/load/presence.hpp"
#include "pthread/load/stay.hpp"
#include "pthread/moving/moving.hpp"
#include "pthread/moving/occasion.hpp"
#include "pthread/threads/carriers.hpp"
#include "pthread/threads/processors.hpp"
#include "runtime/interface/fault_tally.hpp"
#include "runtime/interface/move_counts.hpp"
#include "runtime/interface/move_points.hpp"
#include "runtime/interface/thread_spreading.hpp"
#include "stacks/stacks.hpp"

namespace weft::pthread {
namespace {

constexpr unsigned kAskedAtOnce = 4;  // nodes that a thread asks for a processor at one point

struct Balance {
  Node& node;
  std::atomic<unsigned> on_their_way{0};  // threads that may come here
  std::atomic<unsigned> next{0};          // to be asked for a processor
};
Balance* balance = nullptr;  // never destroyed: threads live as long as the process

// Of the thread that is here: what it has learnt on this node.
struct Experience {
  FaultTally faults;
  Looks looks;
};
constinit thread_local Experience experience;

NodeLoad own_load() {
  return {.threads = threads_with_work() + balance->on_their_way.load(),
          .processors = balance->node.threads_per_node()};
}

void count_off_arrival() { balance->on_their_way.fetch_sub(1); }

// A handler: under the node's lock.
Bytes on_message(const BalanceMessage& message) {
  if (message.what == BalanceMessage::kStays) {
    count_off_arrival();
    return {};
  }
  const bool may = may_come(message, own_load());
  if (may) balance->on_their_way.fetch_add(1);
  return to_bytes(may);
}

bool ask(NodeId node, const BalanceMessage& question) {
  return value_of<bool>(balance->node.call(node, Service::kBalance, to_bytes(question)));
}

NodeId choose_for_processor(const NodeLoad& here) {
  const unsigned nodes = balance->node.node_count(), self = balance->node.self().value();
  if (!has_too_many(here) || is_bound_by_program()) {
    experience.looks.had_no_reason();
    return kNoNode;
  }
  experience.looks.was_in_vain();  // until the thread is elsewhere
  for (unsigned asked = 0; asked < std::min(kAskedAtOnce, nodes - 1); ++asked) {
    const unsigned turn = balance->next.fetch_add(1) % (nodes - 1);
    const NodeId other(static_cast<NodeId::representation>((self + 1 + turn) % nodes));
    if (ask(other, {.what = BalanceMessage::kForProcessor})) return other;
  }
  return kNoNode;
}

// The home of the thread's data, if they are at one other node and it may go there.
NodeId choose_for_data() {
  const NodeId home = experience.faults.home_of_most();
  const std::uint32_t points = experience.faults.points();
  experience.faults.clear();
  const bool is_elsewhere = home != kNoNode && home != balance->node.self();
  if (!is_elsewhere || points > own_stay.points_of_faults || is_bound_by_program()) return kNoNode;
  const BalanceMessage question{.what = BalanceMessage::kForData, .load = own_load().threads};
  if (!ask(home, question)) return kNoNode;
  own_stay.points_of_faults = points;
  return home;
}

NodeId choose() {
  const NodeId home = experience.faults.is_full() ? choose_for_data() : kNoNode;
  if (home != kNoNode || !experience.looks.is_due()) return home;
  return choose_for_processor(own_load());
}

void go_on_at(NodeId node) {
  if (!move_to(node)) {
    on_runtime_stack([=] {
      const BalanceMessage stays{.what = BalanceMessage::kStays};
      balance->node.notify(node, Service::kBalance, to_bytes(stays));
    });
    return;
  }
  count_off_arrival();
  ++move_counts.balanced;
  own_stay.begin_next();
  experience = {};
}

bool may_think_of_moving() {
  own_fault_tally = &experience.faults;
  experience.faults.pass_point();
  own_stay.pass_point();
  return own_stay.is_over() && may_be_moved_now();
}

void act() {
  if (own_carrier() == nullptr || !may_think_of_moving()) return;
  const int error = errno;
  const NodeId node = on_runtime_stack(choose);
  if (node != kNoNode) go_on_at(node);
  errno = error;
}

}  // namespace

void start_balance(Node& node) {
  if (!threads_are_balanced) return;
  balance = new Balance{.node = node};
  start_presence();
  if (node.self() == NodeId(0)) note_presence();
  node.serve(Service::kBalance, [](NodeId, ByteView message) {
    return on_message(value_of<BalanceMessage>(message));
  });
  at_move_point = act;
}

}  // namespace weft::pthread
