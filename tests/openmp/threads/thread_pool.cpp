// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
// environment: WEFT_SPREAD=always
//
// A pool of threads, on all nodes: tasks of any type go through one queue, tasks give tasks to the
// pool, and results, exceptions among them, come back by futures.

#include <weft/weft.h>

#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../check.h"

namespace {

class Pool {
 public:
  explicit Pool(int size) {
    for (int i = 0; i < size; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      const std::lock_guard guard(lock_);
      is_closed_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  template <typename Function>
  auto submit(Function function) {
    using Result = decltype(function());
    const auto task = std::make_shared<std::packaged_task<Result()>>(std::move(function));
    {
      const std::lock_guard guard(lock_);
      tasks_.emplace_back([task] { (*task)(); });
    }
    changed_.notify_one();
    return task->get_future();
  }

 private:
  void work() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock guard(lock_);
        changed_.wait(guard, [this] { return is_closed_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }

  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool is_closed_ = false;
  std::vector<std::thread> threads_;
};

void sums(Pool& pool) {
  std::vector<std::future<long>> parts;
  std::vector<std::vector<long>> rows(60);
  for (long row = 0; row < 60; ++row) {
    rows[row].assign(500, row);
    parts.push_back(pool.submit([&cells = rows[row]] {
      for (long& cell : cells) cell *= 2;
      return std::accumulate(cells.begin(), cells.end(), 0L);
    }));
  }
  for (long row = 0; row < 60; ++row) {
    const long sum = parts[row].get();
    EXPECT(sum == 1000 * row, "Row %ld adds up to %ld.", row, sum);
    EXPECT(rows[row][499] == 2 * row, "Row %ld ends with %ld.", row, rows[row][499]);
  }
}

// All threads of the pool are in a task at once, so that each node has some.
void on_all_nodes(Pool& pool, int size) {
  std::mutex lock;
  std::condition_variable all_here;
  std::set<int> nodes;
  int here = 0;
  std::vector<std::future<void>> done;
  for (int i = 0; i < size; ++i) {
    done.push_back(pool.submit([&] {
      std::unique_lock guard(lock);
      nodes.insert(weft_node());
      if (++here == size) all_here.notify_all();
      all_here.wait(guard, [&] { return here == size; });
    }));
  }
  for (auto& each : done) each.get();
  if (std::getenv("WEFT_BALANCE") != nullptr) return;  // some have moved
  EXPECT(static_cast<int>(nodes.size()) == weft_nodes(), "The pool is on %zu nodes.", nodes.size());
}

void tasks_of_tasks(Pool& pool) {
  auto outer = pool.submit([&pool] {
    std::vector<std::future<std::string>> words;
    for (int i = 0; i < 10; ++i) words.push_back(pool.submit([i] { return std::to_string(i); }));
    return words;
  });
  std::string all;
  for (auto& word : outer.get()) all += word.get();
  EXPECT(all == "0123456789", "The words are %s.", all.c_str());
}

void exceptions(Pool& pool) {
  auto failed = pool.submit([]() -> int { throw std::runtime_error("no result"); });
  try {
    failed.get();
    EXPECT(false, "Nothing was thrown.");
  } catch (const std::runtime_error& error) {
    EXPECT(std::string(error.what()) == "no result", "It says %s.", error.what());
  }
}

}  // namespace

int main() {
  const int size = 2 * weft_nodes();
  {
    Pool pool(size);
    for (int round = 0; round < 3; ++round) {
      sums(pool);
      on_all_nodes(pool, size);
      tasks_of_tasks(pool);
      exceptions(pool);
    }
  }
  return ok();
}
