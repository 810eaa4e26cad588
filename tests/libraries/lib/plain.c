// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library made without Weft, with OpenMP: its data is each node's own, and its regions and tasks
// stay on the node.
#include <omp.h>

static double cells[3000];
static int counter;

double plain_sum(void) {
  double sum = 0;
#pragma omp parallel for
  for (int i = 0; i < 3000; ++i) cells[i] = i;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 3000; ++i) sum += cells[i];
  return sum;
}

static int fibonacci(int n) {
  if (n < 2) return n;
  int a, b;
#pragma omp task shared(a)
  a = fibonacci(n - 1);
#pragma omp task shared(b)
  b = fibonacci(n - 2);
#pragma omp taskwait
#pragma omp atomic
  counter += 1;
  return a + b;
}

// By the calling thread's team, and its tasks; counts in the library's own data.
int plain_tasks(int n) {
  counter = 0;
  const int result = fibonacci(n);
  return result * 1000 + counter;
}

int plain_count(void) { return ++counter; }
