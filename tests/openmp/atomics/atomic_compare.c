// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// atomic compare: minimum, maximum, and compare-and-swap with and without capture.

#include <omp.h>
#include <stdint.h>

#include "../check.h"

static void extremes(void) {
  int least = 1 << 30;
  long greatest = -1;
  unsigned char small = 255;
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 100; ++i) {
    const int value = (i * 37 + 11) % 100 + 5;
    const unsigned char byte = (unsigned char)(value + 10);
#pragma omp atomic compare
    if (value < least) {
      least = value;
    }
#pragma omp atomic compare
    if (greatest < value) {
      greatest = value;
    }
#pragma omp atomic compare
    small = byte < small ? byte : small;
  }
  EXPECT(least == 5 && greatest == 104 && small == 15, "Got %d, %ld, %d.", least, greatest, small);
}

static void locks_by_hand(void) {
  int word = 0;
  long guarded = 0;
#pragma omp parallel
  for (int round = 0; round < 15; ++round) {
    int before;
    do {
#pragma omp atomic compare capture seq_cst
      {
        before = word;
        if (word == 0) {
          word = 1;
        }
      }
    } while (before != 0);
    guarded += 1;
#pragma omp atomic write seq_cst
    word = 0;
  }
  EXPECT(guarded == 15L * omp_get_max_threads(), "The count is %ld.", guarded);
}

// Only the first thread to come finds the slot empty.
static void claims(void) {
  enum { kSlots = 50 };
  static int owner[kSlots];
  int claimed = 0;
#pragma omp parallel reduction(+ : claimed)
  for (int s = 0; s < kSlots; ++s) {
    const int me = omp_get_thread_num() + 1;
    int before;
#pragma omp atomic compare capture
    {
      before = owner[s];
      if (owner[s] == 0) {
        owner[s] = me;
      }
    }
    claimed += before == 0;
  }
  EXPECT(claimed == kSlots, "%d claims of %d slots succeeded.", claimed, kSlots);
  for (int s = 0; s < kSlots; ++s)
    EXPECT(owner[s] >= 1 && owner[s] <= omp_get_max_threads(), "Slot %d belongs to %d.", s,
           owner[s]);
}

int main(void) {
  extremes();
  locks_by_hand();
  claims();
  return ok();
}
