// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uses what does not work across nodes yet.
#include <cstdio>

struct Counter {
  int count = 1;
  ~Counter() { count = 0; }
};

static Counter counter;
#pragma omp threadprivate(counter)

int main() {
#pragma omp parallel
  counter.count++;
  std::printf("%d\n", counter.count);
}
