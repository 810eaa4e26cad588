// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/threads/placing.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/signal_safe_mutex.hpp"

namespace weft::pthread {
namespace {

constexpr NodeId kCounter = NodeId(0);

// On node 0. Nothing blocks under its lock.
class Census {
 public:
  explicit Census(unsigned node_count) : threads_(node_count), asleep_(node_count) {
    threads_[0] = 1;
    for (NodeId node(0); node.value() < node_count; ++node) all_nodes_.push_back(node);
  }

  [[nodiscard]] NodeId choose(const std::vector<NodeId>& among) {
    const std::lock_guard guard(lock_);
    const NodeId node = gathers_ ? kCounter : with_fewest(among.empty() ? all_nodes_ : among);
    ++threads_[node.value()];
    return node;
  }
  void change(NodeId node, int by) {
    const std::lock_guard guard(lock_);
    threads_[node.value()] += by;
  }

  void gather(bool gathers) {
    const std::lock_guard guard(lock_);
    gathers_ = gathers;
  }

  [[nodiscard]] NodeId emptier() {
    const std::lock_guard guard(lock_);
    const NodeId node = with_fewest(all_nodes_);
    const bool is_emptier = threads_[node.value()] + 1 < threads_[kCounter.value()];
    return is_emptier && !gathers_ ? node : kNoNode;
  }
  [[nodiscard]] bool begin_rest() {
    const std::lock_guard guard(lock_);
    const bool all_sleep = std::equal(threads_.begin() + 1, threads_.end(), asleep_.begin() + 1);
    if (gathers_ && all_sleep) others_rest_ = true;
    return gathers_ && all_sleep;
  }
  [[nodiscard]] bool do_others_rest() {
    const std::lock_guard guard(lock_);
    return others_rest_;
  }
  void end_rest() {
    const std::lock_guard guard(lock_);
    others_rest_ = false;
  }
  void count_asleep(NodeId node) {
    const std::lock_guard guard(lock_);
    ++asleep_[node.value()];
  }
  [[nodiscard]] bool wake(NodeId node) {
    const std::lock_guard guard(lock_);
    --asleep_[node.value()];
    return !others_rest_;
  }

 private:
  [[nodiscard]] NodeId with_fewest(const std::vector<NodeId>& nodes) const {
    return *std::ranges::min_element(nodes, {},
                                     [this](NodeId node) { return threads_[node.value()]; });
  }

  SignalSafeMutex lock_;
  bool gathers_ = false, others_rest_ = false;
  std::vector<NodeId> all_nodes_;
  std::vector<int> threads_, asleep_;  // by node
};

struct Placing {
  Node& node;
  Census census;
};
Placing* placing = nullptr;  // never destroyed: threads end as long as the process lives

NodeId perform(const PlacingMessage& message) {
  switch (message.what) {
    case PlacingMessage::kChoose:
      return placing->census.choose(message.among);
    case PlacingMessage::kBegins:
      placing->census.change(message.node, 1);
      break;
    case PlacingMessage::kEnded:
      placing->census.change(message.node, -1);
      break;
    case PlacingMessage::kMoved:
      placing->census.change(message.node, -1);
      placing->census.change(message.to, 1);
      break;
  }
  return message.node;
}

bool is_counted_here() { return placing->node.self() == kCounter; }

// Posts arrive in order, and before the answer to who joins the thread.
void tell(const PlacingMessage& message) {
  if (is_counted_here()) {
    (void)perform(message);
  } else {
    placing->node.post(kCounter, Service::kPlacing, to_bytes(message));
  }
}

}  // namespace

void start_placing(Node& node) {
  placing = new Placing{node, Census(node.node_count())};
  node.serve(Service::kPlacing, [](NodeId, ByteView request) {
    return to_bytes(perform(value_of<PlacingMessage>(request)));
  });
}

NodeId place_thread(std::vector<NodeId> among) {
  if (among.size() == 1 && !is_counted_here()) {
    tell({PlacingMessage::kBegins, among.front(), kCounter});
    return among.front();
  }
  const PlacingMessage choose{PlacingMessage::kChoose, kCounter, kCounter, std::move(among)};
  if (is_counted_here()) return perform(choose);
  return value_of<NodeId>(placing->node.call(kCounter, Service::kPlacing, to_bytes(choose)));
}

void expect_thread(NodeId node) { placing->census.change(node, 1); }
void count_out(NodeId node) { tell({PlacingMessage::kEnded, node, kCounter}); }

void gather_new_threads(bool gathers) { placing->census.gather(gathers); }
NodeId emptier_node() { return placing->census.emptier(); }
bool begin_rest() { return placing->census.begin_rest(); }
bool do_others_rest() { return placing->census.do_others_rest(); }
void end_rest() { placing->census.end_rest(); }
void count_asleep(NodeId node) { placing->census.count_asleep(node); }
bool may_wake(NodeId node) { return placing->census.wake(node); }

// Behind what the thread has told before: a node with a thread is never counted as one without.
void count_move(NodeId from, NodeId to) { tell({PlacingMessage::kMoved, from, to}); }

}  // namespace weft::pthread
