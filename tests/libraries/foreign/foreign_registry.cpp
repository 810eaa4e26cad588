// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A C++ library that clang++ made, whose constructors fill a table: it is one table, whichever node
// adds to it, and they run once.
//
// libraries: registry.cpp plain
#include <omp.h>

#include <cstdio>
#include <string>

#include "../lib/registry.hpp"

int main() {
  int failures = registry_size() != 2 || registry_starts() != 1;
  registry_add("main's", 7);
  int threads = 0;
  int appended = 0;
#pragma omp parallel reduction(+ : failures)
  {
    const int me = omp_get_thread_num();
    const int count = omp_get_num_threads();
    failures += registry_find("main's") != 7 || registry_find("two") != 2;
    failures += registry_starts() != 1;
    registry_add(("of thread " + std::to_string(me) + " with a long name").c_str(), me);
#pragma omp critical
    {
      ++registry_counter()[me % 100];
      ++registry_counter()[99];
      const int size = registry_append("of a thread");
      appended = size > appended ? size : appended;
    }
#pragma omp barrier
    for (int other = 0; other < count; ++other) {
      const std::string name = "of thread " + std::to_string(other) + " with a long name";
      failures += registry_find(name.c_str()) != other;
    }
    failures += registry_size() != 3 + count || registry_counter()[99] != count;
#pragma omp single
    threads = count;
  }
  failures += appended != threads + 1;
  std::printf("%d failures\n", failures);
  if (failures == 0) std::puts("ok");
}
