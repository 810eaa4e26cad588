// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/services/signal_actions.hpp"

#include <cstring>

#include "base/peers/sender.hpp"
#include "libc/signals/signals.hpp"
#include "runtime/libraries/program_objects.hpp"

namespace weft {
namespace {

bool is_same_everywhere(const struct sigaction& action) {
  if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) return true;
  return is_in_program(reinterpret_cast<const void*>(action.sa_handler));
}

}  // namespace

void serve_actions(Node& node) {
  node.serve(Service::kAction, [](NodeId, ByteView request) {
    const auto shared = value_of<SharedAction>(request);
    struct sigaction action = {};
    if (shared.bytes.size() != sizeof action) fail_unreadable("an action", shared.bytes.size());
    std::memcpy(&action, shared.bytes.data(), sizeof action);
    libc::adopt_action(shared.number, action);
    return Bytes();
  });
}

void share_action(Node& node, int number, const struct sigaction& action) {
  if (!is_same_everywhere(action)) return;
  const Bytes request = to_bytes(SharedAction{number, std::as_bytes(std::span(&action, 1))});
  for (NodeId to; to.value() < node.node_count(); ++to) {
    if (to != node.self()) (void)node.call(to, Service::kAction, request);
  }
}

}  // namespace weft
