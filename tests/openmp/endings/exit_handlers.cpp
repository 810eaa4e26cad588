// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exit handlers and static objects of threads on other nodes: they run once, when the program ends,
// and find the program's memory as it was then.

#include <omp.h>

#include <numeric>
#include <vector>

#include "../check.h"

static int handlers, destructors;
static std::vector<int>* numbers;

struct Counted {
  std::vector<int> contents;
  Counted() : contents(5000) { std::iota(contents.begin(), contents.end(), 0); }
  ~Counted() { destructors += contents[4999] == 4999; }
};

static void handler() {
  ++handlers;
  EXPECT(numbers != nullptr && numbers->at(2999) == 3, "The handler sees other memory.");
}

// Registered first, so it runs last.
static void at_the_end() {
  EXPECT(handlers == omp_get_max_threads(), "%d handlers have run.", handlers);
  EXPECT(destructors == 1, "%d static objects were destroyed.", destructors);
  ok();
}

int main() {
  atexit(at_the_end);
#pragma omp parallel
  {
#pragma omp critical
    EXPECT(atexit(handler) == 0, "atexit failed.");
    if (omp_get_thread_num() == omp_get_num_threads() - 1) {
      static const Counted counted;
      EXPECT(counted.contents[7] == 7, "The static object is wrong.");
      numbers = new std::vector<int>(3000, 3);
    }
  }
  return 0;
}
