// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What calls cost of which programs make millions: of the heap, of threads, of streams, of the
// process. Prints "NAME NANOSECONDS" for each. Argument: a divisor of how often each is made.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

long divisor = 1;

void print(const char* name, Clock::time_point from, double calls) {
  std::printf("%s %.1f\n", name,
              std::chrono::duration<double, std::nano>(Clock::now() - from).count() / calls);
}

// Says to the compiler that somebody else looks at what it points to.
void look_at(const void* pointer) { asm volatile("" : : "r"(pointer) : "memory"); }

template <typename Call>
void measure(const char* name, long calls, Call call) {
  calls = std::max(1L, calls / divisor);
  call();
  const Clock::time_point from = Clock::now();
  for (long each = 0; each < calls; ++each) call();
  print(name, from, static_cast<double>(calls));
}

void allocate(std::size_t bytes) {
  void* const block = std::malloc(bytes);
  look_at(block);
  std::free(block);
}

void heap() {
  measure("malloc_32", 2'000'000, [] { allocate(32); });
  measure("malloc_4000", 2'000'000, [] { allocate(4000); });
  measure("malloc_100000", 300'000, [] { allocate(100'000); });
  measure("shared_ptr", 1'000'000, [] { look_at(std::make_shared<long>(7).get()); });
  measure("vector_growing", 500, [] {
    std::vector<int> values;
    for (int each = 0; each < 10'000; ++each) values.push_back(each);
    look_at(values.data());
  });
  measure("map_of_nodes", 100, [] {
    std::unordered_map<int, int> values;
    for (int each = 0; each < 10'000; ++each) values[each * 7919 % 10'007] = each;
    look_at(&values);
  });
}

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
pthread_once_t once = PTHREAD_ONCE_INIT;
sem_t semaphore;

void objects() {
  sem_init(&semaphore, 0, 0);
  measure("mutex", 2'000'000, [] {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  });
  measure("condition_signal", 2'000'000, [] { pthread_cond_signal(&condition); });
  measure("read_lock", 2'000'000, [] {
    pthread_rwlock_rdlock(&table);
    pthread_rwlock_unlock(&table);
  });
  measure("semaphore", 2'000'000, [] {
    sem_post(&semaphore);
    sem_wait(&semaphore);
  });
  measure("once", 2'000'000, [] { pthread_once(&once, [] {}); });
  measure("thread", 2'000, [] { std::thread([] {}).join(); });
}

// Two threads take turns.
void hand_over() {
  const long turns = 20'000 / divisor;
  std::mutex guard;
  std::condition_variable changed;
  int turn = 0;
  const Clock::time_point from = Clock::now();
  const auto play = [&](int mine) {
    for (long round = 0; round < turns; ++round) {
      std::unique_lock lock(guard);
      changed.wait(lock, [&] { return turn == mine; });
      turn = 1 - turn;
      changed.notify_one();
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  print("condition_hand_over", from, 2.0 * static_cast<double>(turns));
}

void queue() {
  const long count = 300'000 / divisor;
  std::mutex guard;
  std::condition_variable changed;
  std::deque<long> values;
  const Clock::time_point from = Clock::now();
  std::thread taker([&] {
    for (long taken = 0; taken < count; ++taken) {
      std::unique_lock lock(guard);
      changed.wait(lock, [&] { return !values.empty(); });
      values.pop_front();
    }
  });
  for (long each = 0; each < count; ++each) {
    {
      const std::lock_guard lock(guard);
      values.push_back(each);
    }
    changed.notify_one();
  }
  taker.join();
  print("queue", from, static_cast<double>(count));
}

void streams() {
  std::FILE* const file = std::tmpfile();
  if (file == nullptr) std::exit(1);
  measure("fprintf", 300'000, [file] { std::fprintf(file, "%d %g\n", 17, 0.5); });
  measure("fputs", 1'000'000, [file] { std::fputs("text\n", file); });
  measure("putc", 1'000'000, [file] { std::putc('a', file); });
  std::rewind(file);
  measure("getc", 1'000'000, [file] { look_at(reinterpret_cast<void*>(std::getc(file))); });
  measure("pread_1000", 100'000, [file] {
    char bytes[1000];
    if (pread(fileno(file), bytes, sizeof bytes, 0) != sizeof bytes) std::exit(1);
  });
  std::fclose(file);
}

void process() {
  measure("clock_gettime", 1'000'000, [] {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    look_at(&now);
  });
  measure("clock", 20'000, [] { look_at(reinterpret_cast<void*>(std::clock())); });
  measure("rand", 1'000'000,
          [] { look_at(reinterpret_cast<void*>(static_cast<long>(std::rand()))); });
  measure("exception", 20'000, [] {
    try {
      throw 1;
    } catch (int) {
    }
  });
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) divisor = std::max(1L, std::atol(arguments[1]));
  heap();
  objects();
  hand_over();
  queue();
  streams();
  process();
  return 0;
}
