// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/team/local_barrier.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace weft::openmp {
namespace {

using Verdict = LocalBarrier::Verdict;

bool nothing() { return false; }

template <typename Body>
void run_threads(unsigned count, Body body) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i) threads.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : threads) thread.join();
}

TEST(LocalBarrier, OneThreadAlwaysDecides) {
  LocalBarrier barrier(1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(barrier.arrive(nothing), Verdict::kDecide);
    barrier.release(Verdict::kPass);
  }
}

// Plain variables on purpose: the barrier alone orders them.
TEST(LocalBarrier, EveryRoundHasOneDeciderAndOrdersWrites) {
  constexpr unsigned kThreads = 4, kRounds = 2000;
  LocalBarrier barrier(kThreads);
  unsigned written[kThreads] = {};
  unsigned decided = 0;
  run_threads(kThreads, [&](unsigned self) {
    for (unsigned round = 1; round <= kRounds; ++round) {
      written[self] = round;
      if (barrier.arrive(nothing) == Verdict::kDecide) {
        ++decided;
        for (const unsigned w : written) ASSERT_EQ(w, round);
        barrier.release(Verdict::kPass);
      }
      ASSERT_EQ(decided, round);
      for (const unsigned w : written) ASSERT_GE(w, round);
      if (barrier.arrive(nothing) == Verdict::kDecide) barrier.release(Verdict::kPass);
    }
  });
  EXPECT_EQ(decided, kRounds);
}

TEST(LocalBarrier, AllHearTheVerdict) {
  constexpr unsigned kThreads = 3;
  LocalBarrier barrier(kThreads);
  run_threads(kThreads, [&](unsigned) {
    for (unsigned round = 0; round < 100; ++round) {
      const Verdict wanted = round % 2 == 0 ? Verdict::kAgain : Verdict::kPass;
      const Verdict verdict = barrier.arrive(nothing);
      if (verdict == Verdict::kDecide) {
        barrier.release(wanted);
      } else {
        EXPECT_EQ(verdict, wanted);
      }
    }
  });
}

// The last thread arrives only once another has worked, which it may have to be woken for.
TEST(LocalBarrier, WaitingThreadsWork) {
  LocalBarrier barrier(2);
  std::atomic<int> waiting{0}, pieces{0}, done{0};
  std::thread worker([&] {
    barrier.arrive([&] {
      waiting = 1;
      if (pieces.load() == 0) return false;
      pieces.fetch_sub(1);
      done.fetch_add(1);
      done.notify_all();
      return true;
    });
  });
  while (waiting.load() == 0) std::this_thread::yield();
  for (int piece = 1; piece <= 3; ++piece) {
    pieces.fetch_add(1);
    barrier.wake();
    done.wait(piece - 1);
  }
  EXPECT_EQ(done.load(), 3);
  EXPECT_EQ(barrier.arrive(nothing), Verdict::kDecide);
  barrier.release(Verdict::kPass);
  worker.join();
}

}  // namespace
}  // namespace weft::openmp
