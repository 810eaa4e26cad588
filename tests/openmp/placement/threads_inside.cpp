// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
// environment: WEFT_SPREAD=auto
//
// On one host the threads of a program without parallel regions start on node 0, and its atomic
// operations are the processor's own all the time, whatever threads come and go.

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "../check.h"
#include "process_of_thread.h"

int main() {
  constexpr int kThreads = 6, kRounds = 20, kCopies = 1000;
  const long here = process_of_thread();
  std::atomic<long> elsewhere = 0, count = 0;
  const auto shared = std::make_shared<int>(7);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        if (process_of_thread() != here) ++elsewhere;
        for (int copy = 0; copy < kCopies; ++copy) {
          const auto mine = shared;
          count.fetch_add(*mine, std::memory_order_relaxed);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT(elsewhere == 0, "%ld threads ran elsewhere", elsewhere.load());
  EXPECT(count == 7L * kThreads * kRounds * kCopies, "%ld", count.load());
  EXPECT(shared.use_count() == 1, "%ld owners", shared.use_count());
  return ok();
}
