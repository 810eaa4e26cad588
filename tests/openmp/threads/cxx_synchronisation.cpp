// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
//
// The synchronisation classes of C++ between threads of all nodes: mutexes, condition variables,
// call_once, waiting on atomic variables, latches, barriers and semaphores.

#include <omp.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <latch>
#include <memory>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <vector>

#include "../check.h"

using namespace std::chrono_literals;

namespace {

int threads() { return omp_get_max_threads(); }

class Queue {
 public:
  void put(int value) {
    {
      const std::lock_guard guard(mutex_);
      values_.push_back(value);
    }
    filled_.notify_one();
  }
  int take() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [this] { return !values_.empty(); });
    const int value = values_.front();
    values_.pop_front();
    return value;
  }

 private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<int> values_;
};

void queue() {
  Queue there;
  auto back = std::make_unique<Queue>();
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  if (omp_get_thread_num() == 0) {
    for (int i = 0; i < 20 * (omp_get_num_threads() - 1); ++i) there.put(i);
    for (int i = 0; i < 20 * (omp_get_num_threads() - 1); ++i) sum += back->take();
  } else {
    for (int i = 0; i < 20; ++i) back->put(2 * there.take());
  }
  const long n = 20L * (threads() - 1);
  EXPECT(sum == n * (n - 1), "The sum is %ld.", sum);
}

void mutexes() {
  static std::recursive_mutex recursive;
  static std::timed_mutex timed;
  static std::shared_mutex shared;
  static std::shared_timed_mutex shared_timed;
  long count = 0, seen = 0;
#pragma omp parallel reduction(+ : seen)
  for (int i = 0; i < 10; ++i) {
    {
      const std::scoped_lock both(recursive, timed);
      const std::lock_guard again(recursive);
      ++count;
    }
    {
      const std::unique_lock guard(shared);
      ++count;
    }
    {
      const std::shared_lock guard(shared);
      seen += count > 0;
    }
    const std::unique_lock guard(shared_timed, 60s);
    EXPECT(guard.owns_lock(), "A mutex was not to be had.");
  }
  EXPECT(seen == 10L * threads(), "%ld saw something.", seen);
  const std::lock_guard guard(timed);
#pragma omp parallel
  if (omp_get_thread_num() != 0) EXPECT(!timed.try_lock_for(2ms), "A held mutex was locked.");
}

void waiting_for_nothing() {
  std::mutex mutex;
  std::condition_variable never;
  std::condition_variable_any never_any;
#pragma omp parallel
  {
    std::unique_lock lock(mutex);
    EXPECT(never.wait_for(lock, 2ms) == std::cv_status::timeout, "There was no timeout.");
    EXPECT(!never_any.wait_for(lock, 2ms, [] { return false; }), "There was no timeout.");
  }
}

void once() {
  static std::once_flag flag;
  static int tries, done;
#pragma omp parallel
  {
    try {
      std::call_once(flag, [] {
        if (++tries < 3) throw std::runtime_error("not yet");
        ++done;
      });
    } catch (const std::runtime_error&) {
      std::call_once(flag, [] {
        tries = 3;
        ++done;
      });
    }
    EXPECT(done == 1, "It was done %d times.", done);
  }
}

void waiting_on_atomics() {
  std::atomic<int> turn{0};
  std::atomic<bool> open{false};
  std::atomic_flag last = ATOMIC_FLAG_INIT;
  long data = 0;
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), all = omp_get_num_threads();
    for (int now = turn.load(); now != me; now = turn.load()) turn.wait(now);
    data += me;
    turn.store(me + 1);
    turn.notify_all();
    if (me == all - 1) {
      open.store(true);
      open.notify_all();
      last.test_and_set();
      last.notify_one();
    } else {
      open.wait(false);
      if (me == 0) last.wait(false);
      EXPECT(data == all * (all - 1L) / 2, "The sum is %ld.", data);
    }
  }
}

void latches_and_the_like() {
  const int all = threads();
  std::latch started(all);
  std::counting_semaphore<100> two(all > 1 ? 2 : 1);
  int phases = 0;
  const auto count = [&phases]() noexcept { ++phases; };
  std::barrier meeting(all, count);
  std::atomic<int> inside{0};
  std::vector<int> cells(static_cast<std::size_t>(all));
#pragma omp parallel
  {
    const auto me = static_cast<std::size_t>(omp_get_thread_num());
    cells[me] = 1;
    started.arrive_and_wait();
    for (const int cell : cells) EXPECT(cell == 1, "A cell is %d.", cell);
    for (int i = 0; i < 3; ++i) {
      two.acquire();
      EXPECT(++inside <= 2, "There are too many inside.");
      --inside;
      two.release();
      meeting.arrive_and_wait();
    }
  }
  EXPECT(phases == 3, "There were %d phases.", phases);
}

}  // namespace

int main() {
  queue();
  mutexes();
  waiting_for_nothing();
  once();
  waiting_on_atomics();
  latches_and_the_like();
  return ok();
}
