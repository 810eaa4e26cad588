// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A large array that threads of other nodes have read in pieces of a few pages, so that it is of
// two kinds of pages in turn. For many epochs nobody writes there; then somebody does, to either
// kind, and all must see it.

#include <omp.h>

#include "../check.h"

enum { kWords = 512, kPages = 1500, kPiece = 3, kQuiet = 80, kRounds = 4 };

static long pages[kPages][kWords];
static long expected[kPages];
static long ticks;

static int reader_of(int page) { return page / kPiece % (omp_get_num_threads() + 1); }

static void expect_all(int round) {
  int wrong = 0;
  for (int page = 0; page < kPages; ++page)
    for (int word = 0; word < kWords; word += 73) wrong += pages[page][word] != expected[page];
  EXPECT(wrong == 0, "%d words are wrong in round %d", wrong, round);
}

// Epochs in which only something else is written.
static void be_quiet(void) {
  for (int i = 0; i < kQuiet; ++i) {
#pragma omp masked
    ticks += 1;
#pragma omp barrier
  }
}

static void write_page(int page, int round) {
  for (int word = 0; word < kWords; ++word) pages[page][word] = page + 1000L * round;
}

int main(void) {
  for (int page = 0; page < kPages; ++page) write_page(page, expected[page] = 0);
  for (int page = 0; page < kPages; ++page) expected[page] = page;
  for (int round = 1; round <= kRounds; ++round) {
#pragma omp parallel
    {
      const int me = omp_get_thread_num();
      int wrong = 0;
      for (int page = 0; page < kPages; ++page)
        if (reader_of(page) == me) wrong += pages[page][page % kWords] != expected[page];
      EXPECT(wrong == 0, "thread %d finds %d wrong pages in round %d", me, wrong, round);
#pragma omp barrier
      be_quiet();
      // Those that read them, and the first thread, which alone has some.
      for (int page = round; page < kPages; page += 1 + round * round) {
        const int reader = reader_of(page);
        const int writer = reader < omp_get_num_threads() ? reader : 0;
        if (writer == me) write_page(page, round);
      }
#pragma omp barrier
#pragma omp masked
      for (int page = round; page < kPages; page += 1 + round * round)
        expected[page] = page + 1000L * round;
#pragma omp barrier
      if (round % 2 == 0) expect_all(round);
      be_quiet();
    }
    expect_all(round);
  }
  return ok();
}
