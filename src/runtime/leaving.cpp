// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/leaving.hpp"

#include "base/futex.hpp"

namespace weft {
namespace {

constexpr std::int64_t kPatienceNanoseconds = 5'000'000'000;

constinit std::atomic<std::uint32_t> left = 0;

}  // namespace

void serve_leaving(Node& node) {
  node.serve(Service::kLeaving, [](NodeId, ByteView) {
    left.fetch_add(1, std::memory_order_acq_rel);
    futex_wake_all(left);
    return Bytes();
  });
}

void announce_leaving(Node& node) { node.notify(NodeId(0), Service::kLeaving, {}); }

void wait_for_leaving(Node& node) {
  const std::int64_t until = now_ns() + kPatienceNanoseconds;
  for (;;) {
    const std::uint32_t seen = left.load(std::memory_order_acquire);
    if (seen + 1 >= node.node_count() || now_ns() >= until) return;
    node.wait_while(left, seen, until);
  }
}

}  // namespace weft
