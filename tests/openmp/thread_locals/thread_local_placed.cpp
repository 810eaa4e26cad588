// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread-local variables in regions that run now on all nodes, now inside node 0: each thread finds
// its own, at the same addresses, with what it and others have left there. Objects point into
// themselves. Threads of nested regions have others.
//
// environment: WEFT_SPREAD=random
// least_nodes: 2
// counted: regions_inside

#include <omp.h>

#include <algorithm>
#include <list>
#include <string>
#include <vector>

#include "../check.h"

namespace {

constexpr int kRounds = 30, kMost = 64, kTasks = 40;

// A list's last element points to the list itself.
thread_local std::list<int> rounds;
thread_local std::string name = "a name that does not fit into the object";
thread_local int* own = nullptr;
int counter = 3;
#pragma omp threadprivate(counter)
thread_local int executed;

int* counters[kMost];

void begin() {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    EXPECT(counter == 3 && rounds.empty(), "Thread %d begins with %d.", me, counter);
    counters[me] = own = &counter;
    counter = 100 * me;
    name += std::to_string(me);
  }
}

void go_on(int round) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    EXPECT(&counter == counters[me] && own == &counter, "Round %d: thread %d has another variable.",
           round, me);
    EXPECT(counter == 100 * me + round, "Round %d: thread %d has %d.", round, me, counter);
    EXPECT(name == "a name that does not fit into the object" + std::to_string(me),
           "Round %d: thread %d is '%s'.", round, me, name.c_str());
    EXPECT(static_cast<int>(rounds.size()) == round, "Round %d: thread %d has seen %zu.", round, me,
           rounds.size());
    rounds.push_front(round);
    EXPECT(std::is_sorted(rounds.rbegin(), rounds.rend()), "Round %d: the list is broken.", round);
  }
  // By pointers, from the serial part.
  for (int i = 0; i < omp_get_max_threads(); ++i) ++*counters[i];
}

// Some of them run when their thread's own part of the region is over.
void make_tasks() {
#pragma omp parallel
  {
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task
      ++executed;
    }
  }
}

void expect_tasks(int times) {
  int sum = 0;
#pragma omp parallel reduction(+ : sum)
  sum += executed;
  EXPECT(sum == times * kTasks * omp_get_max_threads(), "%d tasks were counted.", sum);
}

void copy_in(int round) {
  static int copied;
#pragma omp threadprivate(copied)
  copied = round;
#pragma omp parallel copyin(copied)
  EXPECT(copied == round, "Round %d: %d was copied in.", round, copied);
}

// The thread that begins a nested region keeps its variables; the others are no threads of the
// team.
void nest() {
  const int threads = omp_get_max_threads();
  omp_set_max_active_levels(2);
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
#pragma omp parallel num_threads(2)
    {
      const bool is_of_team = std::count(counters, counters + threads, &counter) > 0;
      EXPECT(is_of_team == (omp_get_thread_num() == 0), "A nested thread has a team's variables.");
      EXPECT(!is_of_team || &counter == counters[me], "Thread %d has lost its variables.", me);
    }
  }
  omp_set_max_active_levels(1);
}

}  // namespace

int main() {
  begin();
  for (int round = 0; round < kRounds; ++round) {
    go_on(round);
    make_tasks();
    copy_in(round);
    if (round % 16 == 5) nest();
  }
  expect_tasks(kRounds);
  return ok();
}
