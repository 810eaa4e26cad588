// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads hand a number to each other, by an atomic variable that says whose turn it is.
// Argument: TURNS.
#include <stdatomic.h>

#include "threads.h"

static long turns, number;
static atomic_long turn;

static void* take_turns(void* mine) {
  for (long each = (long)mine; each < turns; each += 2) {
    while (atomic_load(&turn) != each) {
    }
    number += each % 7;
    atomic_store(&turn, each + 1);
  }
  return NULL;
}

int main(int argc, char** argv) {
  turns = argument(argc, argv, 1, 20000);
  const double seconds = run_on_two(take_turns);
  long expected = 0;
  for (long each = 0; each < turns; ++each) expected += each % 7;
  return finish(seconds, number, expected);
}
