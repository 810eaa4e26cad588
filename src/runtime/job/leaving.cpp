// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/job/leaving.hpp"

#include "base/futex.hpp"

namespace weft {
namespace {

constexpr std::int64_t kPatienceNanoseconds = 5'000'000'000;

// On node 0: how many others have announced that they leave. On these: whether they may.
constinit std::atomic<std::uint32_t> left = 0;

}  // namespace

void serve_leaving(Node& node) {
  node.serve(Service::kLeaving, [](NodeId, ByteView) {
    left.fetch_add(1, std::memory_order_acq_rel);
    futex_wake_all(left);
    return Bytes();
  });
}

void leave_with_others(Node& node) {
  node.notify(NodeId(0), Service::kLeaving, {});
  node.wait_while(left, 0, std::nullopt);
}

void wait_for_others(Node& node) {
  const std::int64_t until = now_ns() + kPatienceNanoseconds;
  for (;;) {
    const std::uint32_t seen = left.load(std::memory_order_acquire);
    if (seen + 1 >= node.node_count() || now_ns() >= until) return;
    node.wait_while(left, seen, until);
  }
}

void let_others_leave(Node& node) {
  for (NodeId other(1); other.value() < node.node_count(); ++other) {
    node.notify(other, Service::kLeaving, {});
  }
}

}  // namespace weft
