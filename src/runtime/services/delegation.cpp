// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/services/delegation.hpp"

#include <signal.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "base/futex.hpp"
#include "base/signal_safe_mutex.hpp"
#include "runtime/output/output_order.hpp"
#include "runtime/stacks/signal_stack.hpp"

namespace weft {
namespace {

struct Request {
  NodeId from{};
  Delegated what = {};
  std::uint64_t waiter = 0;  // the asker's own name for it
  Bytes call;
};

struct Waiter {
  std::atomic<std::uint32_t> done{0};
  Bytes answer;
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
    if (what == Delegated::kThread)
      order_output();  // of the asker, or of the thread that has ended
    queue->node->post(to, service, std::move(message));
  } else {
    queue->node->notify(to, service, std::move(message));
  }
}

void answer(const Request& request) {
  Bytes message;
  ByteWriter writer(message);
  writer.u64(request.waiter);
  writer.raw(queue->performers[static_cast<std::size_t>(request.what)](request.call));
  send(request.from, request.what, Service::kAnswered, std::move(message));
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
  ByteReader reader(message);
  Request request;
  request.from = from;
  request.what = static_cast<Delegated>(reader.u8());
  request.waiter = reader.u64();
  const ByteView call = reader.raw(reader.remaining());
  request.call.assign(call.begin(), call.end());
  const std::lock_guard guard(queue->lock);
  queue->requests.push_back(std::move(request));
  if (queue->idle < queue->requests.size()) {
    std::thread(work).detach();
  } else {
    queue->more.notify_one();
  }
}

void deliver(ByteView message) {
  ByteReader reader(message);
  auto& waiter = *reinterpret_cast<Waiter*>(reader.u64());
  const ByteView bytes = reader.raw(reader.remaining());
  waiter.answer.assign(bytes.begin(), bytes.end());
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
  Bytes message;
  ByteWriter writer(message);
  writer.u8(static_cast<std::uint8_t>(what));
  writer.u64(reinterpret_cast<std::uintptr_t>(&waiter));
  writer.raw(request);
  send(to, what, Service::kDelegated, std::move(message));
  queue->node->wait_while(waiter.done, 0, std::nullopt);
  return std::move(waiter.answer);
}

}  // namespace weft
