// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/cancellation/cancellable.hpp"

#include <mutex>
#include <unordered_map>

#include "base/futex.hpp"
#include "base/signal_safe_mutex.hpp"
#include "libc/interposition/interpose.hpp"
#include "stacks/stacks.hpp"

namespace weft::pthread {
namespace {

struct Known {
  bool is_asked = false;
  std::atomic<std::uint32_t>* word = nullptr;  // of its wait
};

struct Threads {
  SignalSafeMutex lock;
  std::unordered_map<pthread_t, Known> known;
};

// Never destroyed: threads may end after the process has begun to.
Threads& threads() {
  static auto* const all = new Threads;
  return *all;
}

// Of each thread that has come here, until it ends.
struct Membership {
  Membership() {
    const std::lock_guard guard(threads().lock);
    threads().known.try_emplace(self);
  }
  ~Membership() {
    const std::lock_guard guard(threads().lock);
    threads().known.erase(self);
  }
  const pthread_t self = WEFT_REAL(pthread_self)();
};

pthread_t known_self() {
  static thread_local const Membership membership;
  return membership.self;
}

// With the lock.
void wake(std::atomic<std::uint32_t>& word) {
  std::uint32_t waiting = 0;
  if (word.compare_exchange_strong(waiting, kWordOfCancelled)) futex_wake_all(word);
}

constinit thread_local bool is_known = false;

}  // namespace

bool lets_itself_be_cancelled() {
  int state = 0, unused = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  pthread_setcancelstate(state, &unused);
  return state == PTHREAD_CANCEL_ENABLE;
}

void begin_cancellable_call() {
  if (!is_known) {
    on_runtime_stack([] { (void)known_self(); });
    is_known = true;
  }
  pthread_testcancel();
}

Cancellable::Cancellable(std::atomic<std::uint32_t>& word) {
  if (!lets_itself_be_cancelled()) return;
  const pthread_t self = known_self();
  const std::lock_guard guard(threads().lock);
  Known& mine = threads().known[self];
  mine.word = &word;
  if (mine.is_asked) wake(word);
}

Cancellable::~Cancellable() {
  const pthread_t self = known_self();
  const std::lock_guard guard(threads().lock);
  threads().known[self].word = nullptr;
}

void note_cancelled(pthread_t thread) {
  const std::lock_guard guard(threads().lock);
  const auto found = threads().known.find(thread);
  if (found == threads().known.end()) return;
  found->second.is_asked = true;
  if (found->second.word != nullptr) wake(*found->second.word);
}

}  // namespace weft::pthread
