// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
//
// Threads that the program makes itself, beside OpenMP's: in the serial part and inside regions, on
// all nodes. They share data, return values, throw, and have thread-local variables of their own.

#include <omp.h>

#include <exception>
#include <future>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../check.h"

namespace {

thread_local int own = 7;
long total;
std::mutex total_lock;

void in_the_serial_part() {
  std::vector<int> cells(1000);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&cells, t] {
      EXPECT(own == 7, "The thread's variable is %d.", own);
      own = t;
      for (std::size_t i = static_cast<std::size_t>(t); i < cells.size(); i += 3) cells[i] = own;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 1000; ++i) EXPECT(cells[static_cast<std::size_t>(i)] == i % 3, "Cell %d", i);
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 1000; ++i) sum += cells[static_cast<std::size_t>(i)];
  EXPECT(sum == 999, "The sum is %ld.", sum);
}

// Each OpenMP thread has helpers, which write to memory that other nodes read after the barrier.
void inside_a_region() {
  const int all = omp_get_max_threads();
  std::vector<std::string> words(static_cast<std::size_t>(2 * all));
  total = 0;
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    int local = 0;
    const auto work = [&](int half) {
      words[static_cast<std::size_t>(2 * me + half)] =
          std::string(100, static_cast<char>('a' + me));
      const std::lock_guard guard(total_lock);
      total += me;
      local += 1;
    };
    std::thread first(work, 0), second(work, 1);
    first.join();
    second.join();
    EXPECT(local == 2, "The helpers left %d.", local);
#pragma omp barrier
    for (int t = 0; t < all; ++t) {
      const std::string& word = words[static_cast<std::size_t>(2 * t)];
      EXPECT(word == std::string(100, static_cast<char>('a' + t)), "The word is %s.", word.c_str());
    }
  }
  EXPECT(total == all * (all - 1L), "The total is %ld.", total);
}

void exceptions_and_values() {
#pragma omp parallel
  {
    std::future<int> six = std::async(std::launch::async, [] { return omp_get_thread_num() + 6; });
    std::future<void> bad =
        std::async(std::launch::async, [] { throw std::runtime_error("on purpose"); });
    EXPECT(six.get() == 6, "The value is wrong.");
    std::string what;
    try {
      bad.get();
    } catch (const std::runtime_error& error) {
      what = error.what();
    }
    EXPECT(what == "on purpose", "It threw '%s'.", what.c_str());
  }
}

// A thread of one node promises, threads of all nodes wait.
void promises() {
  std::promise<int> promise;
  std::shared_future<int> future = promise.get_future().share();
  std::thread keeper;
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    std::shared_future<int> mine = future;
    if (omp_get_thread_num() == omp_get_num_threads() - 1)
      keeper = std::thread([&promise] { promise.set_value(11); });
    sum += mine.get();
    if (omp_get_thread_num() == omp_get_num_threads() - 1) keeper.join();
  }
  EXPECT(sum == 11L * omp_get_max_threads(), "The sum is %ld.", sum);
}

// Threads of all nodes are told apart.
void identities() {
  std::set<std::thread::id> ids;
  std::mutex lock;
#pragma omp parallel
  {
    const std::lock_guard guard(lock);
    ids.insert(std::this_thread::get_id());
  }
  EXPECT(ids.size() == static_cast<std::size_t>(omp_get_max_threads()), "There are %zu threads.",
         ids.size());
}

}  // namespace

int main() {
  in_the_serial_part();
  inside_a_region();
  exceptions_and_values();
  promises();
  identities();
  return ok();
}
