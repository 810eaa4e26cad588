// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A C program and its shared library: data of all kinds, functions as values, regions and tasks.
// libraries: state.c
// flags: -fcommon
#include <omp.h>

#include "../../openmp/check.h"
#include "../lib/state.h"

int common_of_both[64];  // and in the library: one object
static int addresses_differ;

static int thrice(int argument) { return 3 * argument; }

static void data(int threads) {
  EXPECT(constructed == 1, "The constructor ran %d times.", constructed);
  initialised[1] = 20;
  block[4000] = 77;
  int* const here[] = {initialised, zeros, block, common_of_both};
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    EXPECT(initialised[1] == 20 && block[4000] == 77 && constructed == 1, "Thread %d sees %d, %d.",
           me, initialised[1], block[4000]);
    if (here[0] != initialised || here[1] != zeros || here[2] != block || here[3] != common_of_both)
      addresses_differ = 1;
    zeros[me * 300] = me + 1;
    common_of_both[me] = -me;
    initialised[0] = 1;  // the same from all
#pragma omp barrier
    for (int i = 0; i < omp_get_num_threads(); ++i) {
      EXPECT(zeros[i * 300] == i + 1, "Thread %d finds %d of thread %d.", me, zeros[i * 300], i);
      EXPECT(common_of_both[i] == -i, "In COMMON there is %d.", common_of_both[i]);
    }
  }
  EXPECT(!addresses_differ, "An address is different on another node.");
  for (int i = 0; i < threads; ++i) zeros[i * 300] = 0;
}

static void functions(void) {
  Function of_library[64];
  int results = 0;
#pragma omp parallel reduction(+ : results)
  {
    of_library[omp_get_thread_num()] = function_of_library();
#pragma omp barrier
    for (int i = 0; i < omp_get_num_threads(); ++i) {
      EXPECT(of_library[i] == function_of_library(), "Function addresses differ.");
      EXPECT(of_library[i](i) == 2 * i, "The library's function is wrong.");
    }
    results += call_back(thrice, 5);
  }
  EXPECT(results == 16 * omp_get_max_threads(), "Calls back gave %d.", results);
}

static void synchronisation(int threads) {
  int numbers = 0;
#pragma omp parallel reduction(+ : numbers)
  for (int i = 0; i < 20; ++i) {
    numbers += next_number();
    atomic_count(2);
  }
  const int calls = 20 * threads;
  EXPECT(numbers == calls * (calls + 1) / 2, "The numbers' sum is %d.", numbers);
  EXPECT(atomic_count(0) == 2 * calls, "The count is %d.", atomic_count(0));
}

static void thread_local_data(int threads) {
  EXPECT(copied_in(41) == threads, "copyin in the library failed.");
  EXPECT(copied_privately(42) == threads, "copyprivate in the library failed.");
  per_thread = 99;
#pragma omp parallel copyin(per_thread)
  {
    EXPECT(per_thread == 99, "copyin gave %d.", per_thread);
    per_thread += omp_get_thread_num();
  }
#pragma omp parallel
  EXPECT(per_thread == 99 + omp_get_thread_num(), "A thread's own value is %d.", per_thread);
}

int main(void) {
  const int threads = omp_get_max_threads();
  data(threads);
  functions();
  synchronisation(threads);
  thread_local_data(threads);
  long expected = 0;
  for (int i = 0; i < kZeros; ++i) {
    const int of_block = i % kBlock == 4000 ? 77 : i % kBlock;
    expected += of_block + (i % 4 == 1 ? 20 : i % 4 + 1);
  }
  EXPECT(sum_in_region(kZeros) == expected, "The sum is not %ld.", expected);
  EXPECT(sum_in_tasks(kZeros) == expected, "The sum by tasks is not %ld.", expected);
  return ok();
}
