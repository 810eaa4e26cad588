// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/services/delegation.hpp"

#include <utility>

#include "base/peers/sender.hpp"
#include "runtime/output/output_order.hpp"
#include "runtime/services/delegation_messages.hpp"
#include "runtime/services/workers.hpp"

namespace weft {
namespace {

using Waiter = DelegationWaiter;

Node* serving = nullptr;
Perform performers[static_cast<std::size_t>(Delegated::kCount)] = {};

void send(NodeId to, Delegated what, Service service, Bytes message) {
  if (what != Delegated::kFile) {
    if (what == Delegated::kThread || what == Delegated::kMutex)
      order_output();  // of the asker, or of the thread that has ended
    serving->post(to, service, std::move(message));
  } else {
    serving->notify(to, service, std::move(message));
  }
}

void answer(NodeId from, const DelegatedCall& request) {
  const ReadingFrom sender(from);
  const Perform perform = performers[static_cast<std::size_t>(request.what)];
  send(from, request.what, Service::kAnswered,
       to_bytes(DelegatedAnswer{request.waiter, perform(request.call)}));
}

void deliver(ByteView message) {
  auto answer = value_of<DelegatedAnswer>(message);
  Waiter& waiter = *answer.waiter;
  waiter.answer = std::move(answer.bytes);
  // The waiter is gone as soon as it sees the new value.
  std::atomic<std::uint32_t>& done = waiter.done;
  done.store(1, std::memory_order_release);
  serving->wake(done);
}

}  // namespace

void serve_delegated(Node& node) {
  serving = &node;
  node.serve(Service::kDelegated, [](NodeId from, ByteView message) {
    run_on_worker([from, request = value_of<DelegatedCall>(message)] { answer(from, request); });
    return Bytes();
  });
  node.serve(Service::kAnswered, [](NodeId, ByteView answer) {
    deliver(answer);
    return Bytes();
  });
}

void perform_delegated(Delegated what, Perform perform) {
  performers[static_cast<std::size_t>(what)] = perform;
}

Bytes delegate(NodeId to, Delegated what, ByteView request) {
  Waiter waiter;
  // As a DelegatedCall, but the bytes are copied once.
  send(to, what, Service::kDelegated, to_bytes(what, &waiter, rest(request)));
  serving->wait_while(waiter.done, 0, std::nullopt);
  note_sender(to);  // the caller reads the answer
  return std::move(waiter.answer);
}

}  // namespace weft
