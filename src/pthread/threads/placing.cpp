// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/threads/placing.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "base/signal_safe_mutex.hpp"
#include "runtime/interface/thread_spreading.hpp"

namespace weft::pthread {
namespace {

constexpr NodeId kCounter = NodeId(0);

// On node 0. Nothing blocks under its lock.
class Census {
 public:
  explicit Census(unsigned node_count) : threads_(node_count) { threads_[0] = 1; }

  [[nodiscard]] NodeId choose() {
    const std::lock_guard guard(lock_);
    const auto fewest = std::ranges::min_element(threads_);
    ++*fewest;
    return NodeId(static_cast<NodeId::representation>(fewest - threads_.begin()));
  }
  void change(NodeId node, int by) {
    const std::lock_guard guard(lock_);
    threads_[node.value()] += by;
  }

 private:
  SignalSafeMutex lock_;
  std::vector<int> threads_;  // by node
};

struct Placing {
  Node& node;
  Census census;
};
Placing* placing = nullptr;  // never destroyed: threads end as long as the process lives

NodeId perform(const PlacingMessage& message) {
  switch (message.what) {
    case PlacingMessage::kChoose:
      return placing->census.choose();
    case PlacingMessage::kBegins:
      placing->census.change(message.node, 1);
      break;
    case PlacingMessage::kEnded:
      placing->census.change(message.node, -1);
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

NodeId place_thread(NodeId wanted) {
  if (wanted != kNoNode) {
    tell({PlacingMessage::kBegins, wanted});
    return wanted;
  }
  const PlacingMessage choose{PlacingMessage::kChoose, kCounter};
  if (is_counted_here()) return perform(choose);
  return value_of<NodeId>(placing->node.call(kCounter, Service::kPlacing, to_bytes(choose)));
}

void count_out(NodeId node) { tell({PlacingMessage::kEnded, node}); }

}  // namespace weft::pthread
