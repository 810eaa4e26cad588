// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags that are volatile and nothing else, as old programs have them: who waits for one sees it, and
// what was written before it. On one machine the processor sees to that, and a fence for the compiler.

#include <omp.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "../check.h"

enum { kRounds = 20 };

static void compiler_fence(void) { atomic_signal_fence(memory_order_seq_cst); }

static volatile int turn;
static int data[kRounds];

// The turn goes round; each thread finds what the one before it wrote.
static void around(void) {
#pragma omp parallel
  {
    const int size = omp_get_num_threads();
    for (int round = omp_get_thread_num(); round < kRounds; round += size) {
      while (turn != round) {
      }
      compiler_fence();
      const int before = round == 0 ? 1 : data[round - 1];
      data[round] = before + 2;
      compiler_fence();
      turn = round + 1;
    }
  }
  EXPECT(data[kRounds - 1] == 1 + 2 * kRounds, "The last of the turns left %d.",
         data[kRounds - 1]);
}

struct Mail {
  int* volatile letter;
  volatile bool is_read;
};

// A pointer hands memory over, a flag in the same structure answers.
static void hand_over(void) {
  struct Mail mail = {0, false};
  int here = 0, seen = 0;
#pragma omp parallel num_threads(2) shared(mail, here, seen)
  {
    if (omp_get_num_threads() < 2) {
      seen = 5;
    } else if (omp_get_thread_num() == 0) {
      here = 5;
      compiler_fence();
      mail.letter = &here;
      while (!mail.is_read) {
      }
      compiler_fence();
      here = 6;
    } else {
      while (mail.letter == 0) {
      }
      compiler_fence();
      seen = *mail.letter;
      compiler_fence();
      mail.is_read = true;
    }
  }
  EXPECT(seen == 5, "The letter said %d.", seen);
}

int main(void) {
  around();
  hand_over();
  return ok();
}
