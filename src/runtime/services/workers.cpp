// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/services/workers.hpp"

#include <signal.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "base/signal_safe_mutex.hpp"
#include "base/threads/own_thread.hpp"
#include "runtime/stacks/signal_stack.hpp"

namespace weft {
namespace {

using Task = std::function<void()>;

// Tasks that no thread has taken yet, and the threads that wait for some.
struct Queue {
  Node* node = nullptr;
  SignalSafeMutex lock;
  std::condition_variable_any more;
  std::deque<Task> tasks;
  std::size_t idle = 0;  // those that are to come are among them
  std::string refusal;   // why there are not enough
};
Queue* queue = nullptr;  // never destroyed: its threads live as long as the process

void work();

// Where the system refuses a thread, tasks wait for one that is there; but if all are busy, they
// might do so for ever. Without the queue's lock.
void start_one() {
  {
    const std::lock_guard guard(queue->lock);
    ++queue->idle;
  }
  std::string refusal = start_own_thread([] { work(); });
  const std::lock_guard guard(queue->lock);
  if (!refusal.empty()) --queue->idle;
  queue->refusal = std::move(refusal);
  if (queue->idle == 0 && !queue->tasks.empty()) queue->node->fail(queue->refusal);
}

void block_signals() {
  // Signals are the program's threads' business; but a callback of a stream, or a constructor, may
  // touch the region.
  sigset_t blocked;
  sigfillset(&blocked);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&blocked, fault);
  pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
}

void work() {
  block_signals();
  ensure_signal_stack();
  std::unique_lock guard(queue->lock);
  for (;;) {
    queue->more.wait(guard, [] { return !queue->tasks.empty(); });
    const Task task = std::move(queue->tasks.front());
    queue->tasks.pop_front();
    const bool is_last = --queue->idle == 0;
    guard.unlock();
    if (is_last) start_one();
    task();
    guard.lock();
    ++queue->idle;
  }
}

}  // namespace

void start_workers(Node& node) {
  queue = new Queue;
  queue->node = &node;
  start_one();
  if (!queue->refusal.empty()) node.fail(queue->refusal);
}

void run_on_worker(std::function<void()> task) {
  const std::lock_guard guard(queue->lock);
  queue->tasks.push_back(std::move(task));
  if (queue->idle == 0 && !queue->refusal.empty()) queue->node->fail(queue->refusal);
  queue->more.notify_one();
}

}  // namespace weft
