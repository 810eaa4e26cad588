// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/services/delegation.hpp"

#include <signal.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>

#include "base/futex.hpp"
#include "base/peers/sender.hpp"
#include "base/signal_safe_mutex.hpp"
#include "base/threads/own_thread.hpp"
#include "runtime/output/output_order.hpp"
#include "runtime/services/delegation_messages.hpp"
#include "runtime/stacks/signal_stack.hpp"

namespace weft {
namespace {

using Waiter = DelegationWaiter;

struct Request : DelegatedCall {
  NodeId from{};
};

// Requests that no thread has taken yet, and the threads that wait for some.
struct Queue {
  Node* node = nullptr;
  Perform performers[static_cast<std::size_t>(Delegated::kCount)] = {};
  SignalSafeMutex lock;
  std::condition_variable_any more;
  std::deque<Request> requests;
  std::size_t idle = 0;
};
Queue* queue = nullptr;  // never destroyed: its threads live as long as the process

void send(NodeId to, Delegated what, Service service, Bytes message) {
  if (what != Delegated::kFile) {
    if (what == Delegated::kThread || what == Delegated::kMutex)
      order_output();  // of the asker, or of the thread that has ended
    queue->node->post(to, service, std::move(message));
  } else {
    queue->node->notify(to, service, std::move(message));
  }
}

void answer(const Request& request) {
  const ReadingFrom sender(request.from);
  const Perform perform = queue->performers[static_cast<std::size_t>(request.what)];
  send(request.from, request.what, Service::kAnswered,
       to_bytes(DelegatedAnswer{request.waiter, perform(request.call)}));
}

void work() {
  // Signals are the program's threads' business; but a callback of a stream may touch the region.
  sigset_t blocked;
  sigfillset(&blocked);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&blocked, fault);
  pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  ensure_signal_stack();
  std::unique_lock guard(queue->lock);
  for (;;) {
    while (!queue->requests.empty()) {
      const Request request = std::move(queue->requests.front());
      queue->requests.pop_front();
      guard.unlock();
      answer(request);
      guard.lock();
    }
    ++queue->idle;
    queue->more.wait(guard, [] { return !queue->requests.empty(); });
    --queue->idle;
  }
}

// A handler: runs under the node's lock.
void take(NodeId from, ByteView message) {
  Request request{value_of<DelegatedCall>(message), from};
  const std::lock_guard guard(queue->lock);
  queue->requests.push_back(std::move(request));
  if (queue->idle < queue->requests.size()) {
    const std::string refusal = start_own_thread([] { work(); });
    if (!refusal.empty()) queue->node->fail(refusal);
  } else {
    queue->more.notify_one();
  }
}

void deliver(ByteView message) {
  auto answer = value_of<DelegatedAnswer>(message);
  Waiter& waiter = *answer.waiter;
  waiter.answer = std::move(answer.bytes);
  // The waiter is gone as soon as it sees the new value; waking takes the address alone.
  std::atomic<std::uint32_t>& done = waiter.done;
  done.store(1, std::memory_order_release);
  futex_wake_all(done);
}

}  // namespace

void serve_delegated(Node& node) {
  queue = new Queue;
  queue->node = &node;
  node.serve(Service::kDelegated, [](NodeId from, ByteView request) {
    take(from, request);
    return Bytes();
  });
  node.serve(Service::kAnswered, [](NodeId, ByteView answer) {
    deliver(answer);
    return Bytes();
  });
}

void perform_delegated(Delegated what, Perform perform) {
  queue->performers[static_cast<std::size_t>(what)] = perform;
}

Bytes delegate(NodeId to, Delegated what, ByteView request) {
  Waiter waiter;
  // As a DelegatedCall, but the bytes are copied once.
  send(to, what, Service::kDelegated, to_bytes(what, &waiter, rest(request)));
  queue->node->wait_while(waiter.done, 0, std::nullopt);
  note_sender(to);  // the caller reads the answer
  return std::move(waiter.answer);
}

}  // namespace weft
