// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/file_service.hpp"

#include <signal.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "base/futex.hpp"
#include "base/signal_safe_mutex.hpp"
#include "libc/forwarding.hpp"
#include "libc/owned_files.hpp"
#include "runtime/signal_stack.hpp"

namespace weft {
namespace {

struct Request {
  NodeId from;
  std::uint64_t waiter;  // the asker's own name for it
  Bytes operation;
};

struct Waiter {
  std::atomic<std::uint32_t> done{0};
  Bytes answer;
};

// Requests that no thread has taken yet, and the threads that wait for some.
struct Queue {
  Node* node = nullptr;
  SignalSafeMutex lock;
  std::condition_variable_any more;
  std::deque<Request> requests;
  std::size_t idle = 0;
};
Queue* queue = nullptr;  // never destroyed: its threads live as long as the process

void answer(const Request& request) {
  Bytes message;
  ByteWriter writer(message);
  writer.u64(request.waiter);
  writer.raw(libc::perform_file_operation(request.operation));
  queue->node->notify(request.from, Service::kFileAnswer, std::move(message));
}

void work() {
  // Signals are the program's threads' business; but a callback of the stream may touch the region.
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
  const std::uint64_t waiter = reader.u64();
  const ByteView operation = reader.raw(reader.remaining());
  const std::lock_guard guard(queue->lock);
  queue->requests.push_back({from, waiter, Bytes(operation.begin(), operation.end())});
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

void serve_files(Node& node) {
  queue = new Queue;
  queue->node = &node;
  node.serve(Service::kFile, [](NodeId from, ByteView request) {
    take(from, request);
    return Bytes();
  });
  node.serve(Service::kFileAnswer, [](NodeId, ByteView answer) {
    deliver(answer);
    return Bytes();
  });
}

Bytes ask_for_file(unsigned owner, Bytes request) {
  Node& node = *queue->node;
  Waiter waiter;
  Bytes message;
  ByteWriter writer(message);
  writer.u64(reinterpret_cast<std::uintptr_t>(&waiter));
  writer.raw(request);
  node.notify(NodeId(static_cast<std::uint16_t>(owner)), Service::kFile, std::move(message));
  node.wait_while(waiter.done, 0, std::nullopt);
  return std::move(waiter.answer);
}

const char* explain_access(const void* address) {
  if (!libc::node_of_stream_address(address)) return nullptr;
  return "a FILE that another node has opened was used in a way that is not passed on to that node "
         "(flockfile, wide characters, or getc_unlocked and putc_unlocked, which are inlined); "
         "open "
         "it in the thread that uses it, or use other functions of <stdio.h>";
}

}  // namespace weft
