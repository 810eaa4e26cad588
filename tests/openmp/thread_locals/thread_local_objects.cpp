// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// thread_local objects with constructors and destructors, of OpenMP's threads and of std::thread's,
// used by threads of other nodes: containers, mutexes, atomics. The destructor of a thread's object
// runs when the thread ends, and what it leaves behind is seen by all.

#include <omp.h>

#include <array>
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "../check.h"

namespace {

constexpr int kThreads = 64;

std::atomic<int> constructed, destroyed;

struct Diary {
  Diary() : first_entry("empty") { ++constructed; }
  ~Diary() {
    if (ended != nullptr) *ended = static_cast<int>(entries.size());
    ++destroyed;
  }
  void add(int entry) {
    const std::lock_guard guard(lock);
    entries.push_back(entry);
  }
  std::mutex lock;
  std::string first_entry;
  std::vector<int> entries;
  std::array<char, 9000> wide = {};
  int* ended = nullptr;
};

thread_local Diary diary;
thread_local std::atomic<int> visits{5};

struct Thread {
  Diary* diary = nullptr;
  std::atomic<int>* visits = nullptr;
};
Thread threads[kThreads];

void visit_all(int count, int me) {
  for (int i = 0; i < count; ++i) {
    threads[i].diary->add(me);
    threads[i].visits->fetch_add(1);
    threads[i].diary->wide[100 * me] = static_cast<char>(me + 1);
  }
}

void expect_visits(int count) {
  EXPECT(visits == 5 + count, "There were %d visits.", visits.load() - 5);
  EXPECT(diary.first_entry == "empty", "It says '%s'.", diary.first_entry.c_str());
  std::vector<bool> seen(count);
  for (const int visitor : diary.entries) seen.at(visitor) = true;
  for (int i = 0; i < count; ++i) {
    EXPECT(seen[i], "Visitor %d has left no entry.", i);
    EXPECT(diary.wide[100 * i] == i + 1, "Visitor %d has written %d.", i, diary.wide[100 * i]);
  }
}

void in_region() {
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), count = omp_get_num_threads();
    threads[me] = {&diary, &visits};
#pragma omp barrier
    visit_all(count, me);
#pragma omp barrier
    expect_visits(count);
  }
}

// Each thread of the region has one of its own, which ends within the region.
void of_threads_of_threads() {
  int ended[kThreads] = {};
  std::atomic<int> ready = 0, written = 0;
  const int before = destroyed;
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), count = omp_get_num_threads();
    std::thread other([&, me] {
      diary.ended = &ended[me];
      threads[me] = {&diary, &visits};
      ++ready;
      while (written < count) std::this_thread::yield();
      expect_visits(count);
    });
    while (ready < count) std::this_thread::yield();
    visit_all(count, me);
    ++written;
    other.join();
#pragma omp barrier
    for (int i = 0; i < count; ++i) EXPECT(ended[i] == count, "Thread %d had %d.", i, ended[i]);
    EXPECT(destroyed == before + count, "%d were destroyed.", destroyed - before);
  }
}

}  // namespace

int main() {
  diary.first_entry = "empty";
  Diary& of_main = diary;
#pragma omp parallel
  {
#pragma omp critical
    of_main.entries.push_back(1);
  }
  EXPECT(diary.entries.size() >= 1, "main's diary has no entry.");
  diary.entries.clear();
  in_region();
  for (int round = 0; round < 3; ++round) of_threads_of_threads();
  return ok();
}
