// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
//
// Threads of C++ that go on at other nodes: exceptions across a move, while one is handled and
// while the stack unwinds; thread-local objects, which are constructed on one node and destroyed on
// another; locks and futures of the standard library.

#include <atomic>
#include <exception>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#include <weft/weft.hpp>

#include "../check.h"

namespace {

void go_on() {
  const weft::Result moved = weft::migrate((weft::node() + 1) % weft::nodes());
  EXPECT(moved, "%s", moved.text());
}

// Moves while the stack unwinds.
struct Mover {
  explicit Mover(int& to) : count(to) {}
  ~Mover() {
    EXPECT(std::uncaught_exceptions() == 1, "%d are on their way.", std::uncaught_exceptions());
    go_on();
    EXPECT(std::uncaught_exceptions() == 1, "%d are on their way.", std::uncaught_exceptions());
    ++count;
  }
  int& count;
};

void throw_from(int depth, int& count) {
  const Mover mover(count);
  if (depth % 2 == 0) go_on();
  if (depth == 0) throw std::runtime_error("from node " + std::to_string(weft::node()));
  throw_from(depth - 1, count);
}

void handle() {
  int count = 0;
  std::string text;
  try {
    throw_from(6, count);
  } catch (const std::exception& error) {
    go_on();
    text = error.what();
    try {
      throw std::string("inner");
    } catch (const std::string& inner) {
      go_on();
      EXPECT(inner == "inner", "It is %s.", inner.c_str());
    }
    go_on();
    EXPECT(text == error.what(), "It became %s.", error.what());
  }
  EXPECT(count == 7, "%d levels were left.", count);
  EXPECT(text.starts_with("from node "), "It is %s.", text.c_str());
  EXPECT(std::uncaught_exceptions() == 0 && std::current_exception() == nullptr, "One is left.");
}

void rethrow() {
  bool was_caught = false;
  try {
    try {
      throw std::out_of_range("again");
    } catch (...) {
      go_on();
      throw;
    }
  } catch (const std::out_of_range&) {
    was_caught = true;
  }
  EXPECT(was_caught, "It was not caught.");
}

std::atomic<int> constructed, destroyed, destroyed_with_right_value;

struct Own {
  Own() { ++constructed; }
  ~Own() {
    ++destroyed;
    if (text == std::string(100, 'x') + "y") ++destroyed_with_right_value;
  }
  std::string text;
};
thread_local Own early, late;

void use_thread_local_objects() {
  early.text = std::string(100, 'x');
  const Own* const place = &early;
  go_on();
  EXPECT(&early == place, "It is elsewhere.");
  late.text = early.text;  // constructed here
  go_on();
  early.text += "y";
  late.text += "y";
}

void use_futures() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread other([&] {
    go_on();
    promise.set_value(weft::node() + 100);
    go_on();
  });
  go_on();
  EXPECT(future.get() >= 100, "The value is another.");
  other.join();
}

std::mutex lock;
long sum = 0;

void add_under_lock() {
  for (int turn = 0; turn < 20; ++turn) {
    const std::lock_guard guard(lock);
    const long before = sum;
    go_on();
    sum = before + 1;
  }
}

void in_threads(void (*function)()) {
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) threads.emplace_back(function);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

int main() {
  in_threads(handle);
  in_threads(rethrow);
  in_threads(use_thread_local_objects);
  EXPECT(constructed == 8 && destroyed == 8, "%d and %d objects", constructed.load(),
         destroyed.load());
  EXPECT(destroyed_with_right_value == 8, "%d were right.", destroyed_with_right_value.load());
  in_threads(use_futures);
  in_threads(add_under_lock);
  EXPECT(sum == 80, "The sum is %ld.", sum);
  return ok();
}
