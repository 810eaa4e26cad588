// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
//
// Threads that the program makes itself go on while the teams go through regions and barriers, on
// every node: they write under locks, add to atomic variables, and write memory of their own beside
// what the team writes, in the same pages. At the end all of it is counted.

#include <omp.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "../check.h"

namespace {

constexpr int kMostThreads = 64;
constexpr int kSlots = 512;   // of a table, each written by whoever holds the lock
constexpr int kRounds = 150;  // of each thread that the program makes
constexpr int kRegions = 12;
constexpr int kBarriers = 5;  // of each region

std::mutex table_lock;
std::uint64_t table[kSlots];
std::uint64_t table_sum;

std::atomic<std::uint64_t> added;
std::atomic<int> finished;

// A stripe a thread, in turn: the program's threads write the odd ones, the team the even ones.
std::uint64_t stripes[64][2 * kMostThreads];

std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 29)) * 0xbf58476d1ce4e5b9U;
  return value ^ (value >> 32);
}

void change_table(std::uint64_t seed) {
  const std::uint64_t change = mix(seed);
  const std::lock_guard guard(table_lock);
  table[change % kSlots] += change;
  table[(change >> 20) % kSlots] -= 3 * change;
  table_sum += change - 3 * change;
}

// What thread `number` of its kind has added to its stripe and to `added` after so many rounds.
std::uint64_t share(int number, int rounds) {
  std::uint64_t sum = 0;
  for (int round = 0; round < rounds; ++round) {
    sum += mix(static_cast<std::uint64_t>(number) * 1000003 + static_cast<std::uint64_t>(round));
  }
  return sum;
}

void one_round(int column, int number, int round) {
  const std::uint64_t change =
      mix(static_cast<std::uint64_t>(number) * 1000003 + static_cast<std::uint64_t>(round));
  stripes[round % 64][column] += change;
  if (round % 2 == 0) change_table(change);
  added.fetch_add(change, round % 3 == 0 ? std::memory_order_relaxed : std::memory_order_acq_rel);
}

void work(int number) {
  for (int round = 0; round < kRounds; ++round) one_round(2 * number + 1, number, round);
  finished.fetch_add(1, std::memory_order_release);
}

std::uint64_t column_sum(int column) {
  std::uint64_t sum = 0;
  for (const auto& row : stripes) sum += row[column];
  return sum;
}

// The team's rounds are numbered behind those of the program's threads.
int rounds_of_team = 0;

void go_through_regions() {
  for (int region = 0; region < kRegions; ++region) {
    const int first = rounds_of_team;
#pragma omp parallel
    {
      const int me = omp_get_thread_num();
      for (int barrier = 0; barrier < kBarriers; ++barrier) {
        one_round(2 * me, kMostThreads + me, first + barrier);
#pragma omp barrier
        // The team's own writes are seen after its barrier, whatever the others do.
        const int other = (me + 1) % omp_get_num_threads();
        const std::uint64_t sum = column_sum(2 * other);
        const std::uint64_t expected = share(kMostThreads + other, first + barrier + 1);
        EXPECT(sum == expected, "Thread %d sees a wrong sum of thread %d.", me, other);
#pragma omp barrier
      }
    }
    rounds_of_team += kBarriers;
  }
}

}  // namespace

int main() {
  const int all = omp_get_max_threads();
  EXPECT(all <= kMostThreads, "There are %d threads.", all);
  std::vector<std::thread> threads(static_cast<std::size_t>(all));
  // Each thread of the team makes one, on its own node; they outlive the region.
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    threads[static_cast<std::size_t>(me)] = std::thread(work, me);
  }
  do {
    go_through_regions();
  } while (finished.load(std::memory_order_acquire) < all);
  // Where they were made, as on any node alone they may be joined.
#pragma omp parallel
  threads[static_cast<std::size_t>(omp_get_thread_num())].join();

  std::uint64_t expected = 0, table_total = 0;
  for (int number = 0; number < all; ++number) {
    EXPECT(column_sum(2 * number + 1) == share(number, kRounds), "Column %d is wrong.", number);
    expected += share(number, kRounds) + share(kMostThreads + number, rounds_of_team);
  }
  EXPECT(added.load() == expected, "The atomic sum is wrong.");
  for (const std::uint64_t slot : table) table_total += slot;
  EXPECT(table_total == table_sum, "The table is wrong.");
  return ok();
}
